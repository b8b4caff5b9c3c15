// Moves the cards of one installation to another, within the process of a test.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, type KeyParts } from '../../src/base/openpgp/keys.ts';
import { openMessageThreads } from '../../src/base/openpgp/message-threads.ts';
import { type Exported, type ExportFormat, exportVault } from '../../src/installation/vault/export-vault.ts';
import type { LineProblem } from '../../src/installation/vault/import-run.ts';
import { type Imported, importVault, type VaultImport } from '../../src/installation/vault/import-vault.ts';
import { readMessageLines } from '../../src/installation/vault/message-lines.ts';
import type { HttpApp } from './http-app.ts';

/** A key of whoever gets an export, and the folder in which it lies. */
export interface Receiver {
	readonly key: KeyParts;
	readonly folder: string;
}

type MovedParts = Pick<HttpApp, 'database' | 'keyRing' | 'audit' | 'identity' | 'clock'>;

/** Makes the key of a receiver. */
export async function makeReceiver(folder: string): Promise<Receiver> {
	return { key: await createKey('receiver'), folder };
}

/** Exports accounts into a file; returns its path and what is told of it. */
export async function exportTo(
	parts: MovedParts,
	{ key, folder }: Receiver,
	{ userIds = [], format = 'json' }: { readonly userIds?: readonly string[]; readonly format?: ExportFormat } = {},
): Promise<Exported & { readonly path: string }> {
	const pieces: Buffer[] = [];
	const exported = await exportVault(parts, {
		userIds,
		format,
		key: { name: 'receiver', armored: key.publicKey, fingerprint: key.facts.fingerprint },
		environment: 'sandbox',
		actor: 'operator test',
		isArmored: false,
		write: async (bytes) => void pieces.push(Buffer.from(bytes)),
		onProgress() {},
	});
	const path = join(folder, `${exported.export}.pgp`);
	writeFileSync(path, Buffer.concat(pieces));
	return { ...exported, path };
}

/** Imports a file; returns what is told of it, with the problems. */
export async function importFrom(
	parts: MovedParts,
	{ key, folder }: Receiver,
	path: string,
	more: Partial<VaultImport> = {},
): Promise<Imported & { readonly told: readonly LineProblem[] }> {
	const told: LineProblem[] = [];
	const imported = await importVault(parts, {
		path,
		key: { name: 'receiver', armored: key.secretKey! },
		environment: 'sandbox',
		actor: 'operator test',
		dataDir: folder,
		renamed: new Map(),
		leavesOut: false,
		isTrial: false,
		onProblems: async (problems) => void told.push(...problems),
		onProgress() {},
		...more,
	});
	return { ...imported, told };
}

/** A process looks for its first foreign token only every few seconds; a clock is turned by this much. */
export const NOTICED_MS = 6_000;

/** Encrypts text for a receiver, as a program of somebody else may have written it; returns the path. */
export async function encryptFor({ key, folder }: Receiver, name: string, text: string): Promise<string> {
	const threads = openMessageThreads({ threads: 1 });
	const pieces: Buffer[] = [];
	const readers = [{ name: 'receiver', armored: key.publicKey }];
	const work = await threads.begin(
		{ kind: 'encrypt', readers, signer: undefined, armor: false, compress: 'none' },
		async (bytes) => void pieces.push(Buffer.from(bytes)),
	);
	await work.write(Buffer.from(text));
	await work.end();
	await threads.close();
	const path = join(folder, name);
	writeFileSync(path, Buffer.concat(pieces));
	return path;
}

/** Decrypts a file for its receiver. */
export async function decryptFor({ key }: Receiver, path: string): Promise<string> {
	const texts: string[] = [];
	const threads = openMessageThreads({ threads: 1 });
	await readMessageLines(threads, {
		path,
		key: { name: 'receiver', armored: key.secretKey! },
		take: async (lines) => void texts.push(...lines.map(({ text }) => text)),
		onProgress() {},
	});
	await threads.close();
	return `${texts.join('\n')}\n`;
}
