// Starts a PostgreSQL server for one test, which can lose its power.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from './daemon.ts';
import { freePort } from './free-port.ts';
import { clusterOptions, loadEmbeddedPostgres } from './postgres-package.ts';
import { until } from './until.ts';

export interface OwnPostgres {
	readonly url: string;
	/**
	 * Ends every process of the server at once. What it has not written to its log by then is lost, which is every commit
	 * that nobody waited for.
	 */
	losePower(): Promise<void>;
	/** Starts the server again on the files that were left. */
	start(): Promise<void>;
}

/** Starts a server whose commits are durable when they are answered, unless a transaction says that it does not wait. */
export async function startOwnPostgres(t: Teardown): Promise<OwnPostgres> {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-own-pg-'));
	// The user that PostgreSQL runs as must reach its files.
	chmodSync(folder, 0o755);
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const EmbeddedPostgres = await loadEmbeddedPostgres(folder);
	const databaseDir = join(folder, 'cluster');
	const pidFile = join(databaseDir, 'postmaster.pid');
	const password = randomBytes(16).toString('hex');
	const port = await freePort();
	let said = '';
	const onLog = (text: unknown) => void (said += `${text}\n`);
	const server = () =>
		new EmbeddedPostgres({
			...{ ...clusterOptions(password), databaseDir, port, onLog, onError: onLog },
			postgresFlags: [
				...['-c', 'synchronous_commit=on', '-c', 'full_page_writes=on', '-c', 'fsync=on'],
				// Otherwise the server would soon write commits that nobody waits for, and a loss of power would lose little.
				...['-c', 'wal_writer_delay=10s', '-c', 'wal_writer_flush_after=1GB', '-c', 'wal_buffers=64MB'],
				...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
			],
		});
	let running = server();
	await running.initialise();
	const start = async () => {
		running = server();
		await running.start().catch((error) => {
			throw new Error(`PostgreSQL did not start: ${said}`, { cause: error });
		});
	};
	await start();
	t.teardown(() => running.stop());
	return {
		url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
		start,
		async losePower() {
			const [pid] = readFileSync(pidFile, 'utf8').split('\n');
			// With this signal the first process lets all others end without another write, and ends.
			process.kill(Number(pid), 'SIGQUIT');
			await until('PostgreSQL has ended', () => !isRunning(Number(pid)));
			if (existsSync(pidFile)) rmSync(pidFile);
		},
	};
}

function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
