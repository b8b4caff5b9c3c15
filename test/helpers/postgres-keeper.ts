// A process of its own: starts PostgreSQL, tells everybody who connects where it is, and takes it down with its files
// once nobody has been connected for a while. Started by postgres-server.ts, never by hand.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { freePort } from './free-port.ts';
import { clusterOptions, loadEmbeddedPostgres } from './postgres-package.ts';
import { type KeeperAnswer, keeperDirectory } from './postgres-server.ts';

/** Long enough to bridge the pause between two runs by hand; starting anew costs seconds. */
const LINGER_MS = 10_000;
const START_TRIES = 3;
const clusterDirectory = join(keeperDirectory, 'cluster');
const socketPath = join(keeperDirectory, 'keeper.sock');

/**
 * Holds a lock that the kernel releases however this process ends, on every platform: SQLite's on an empty file.
 * False when another keeper is at work, or was and has just removed the file.
 */
function takeLock(): boolean {
	const path = join(keeperDirectory, 'lock');
	const lock = new SqliteDatabase(path, { timeout: 0 });
	const { ino } = statSync(path);
	try {
		lock.exec('begin exclusive');
	} catch {
		return false;
	}
	heldLock = lock;
	return statSync(path, { throwIfNoEntry: false })?.ino === ino;
}
/** Kept reachable: a collected handle would give the lock back. */
let heldLock: SqliteDatabase.Database | undefined;

/** Ends the server that a killed keeper left behind: only when the process named there runs on our directory. */
function endAbandonedServer(): void {
	try {
		const [pid] = readFileSync(join(clusterDirectory, 'postmaster.pid'), 'utf8').split('\n');
		if (commandLineOf(pid).includes(clusterDirectory)) process.kill(Number(pid), 'SIGQUIT');
	} catch {
		// No such file or no such process: nothing was left.
	}
	for (const name of ['cluster', 'node_modules', 'log']) {
		rmSync(join(keeperDirectory, name), { recursive: true, force: true });
	}
}

/** Small containers have no `ps`, other systems no /proc. */
function commandLineOf(pid: string): string {
	const path = `/proc/${Number(pid)}/cmdline`;
	return existsSync(path)
		? readFileSync(path, 'utf8')
		: execFileSync('ps', ['-o', 'args=', '-p', pid], { encoding: 'utf8' });
}

async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
	const password = randomBytes(16).toString('hex');
	const log = (text: unknown) => appendFileSync(join(keeperDirectory, 'log'), `${text}\n`);
	const EmbeddedPostgres = await loadEmbeddedPostgres(keeperDirectory);
	let isInitialised = false;
	for (let tries = 1; ; tries++) {
		const port = await freePort();
		const postgres = new EmbeddedPostgres({
			...clusterOptions(password),
			databaseDir: clusterDirectory,
			port,
			// Nothing here outlives the run, so nothing needs to survive a power cut.
			postgresFlags: [
				...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'],
				...['-c', 'wal_level=minimal', '-c', 'max_wal_senders=0', '-c', 'max_connections=200'],
				// Databases live for seconds, with hundreds of rows at most.
				...['-c', 'autovacuum=off'],
				...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
			],
			onLog: log,
			onError: log,
		});
		try {
			if (!isInitialised) await postgres.initialise();
			isInitialised = true;
			await postgres.start();
			return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop: () => postgres.stop() };
		} catch (error) {
			// Somebody may have taken the port in between; the reason itself stands in the server's log.
			if (!isInitialised || tries === START_TRIES)
				throw error ?? new Error(readFileSync(join(keeperDirectory, 'log'), 'utf8'));
		}
	}
}

function keep(): void {
	const connected = new Set<Socket>();
	let linger: NodeJS.Timeout | undefined;
	let isLeaving = false;
	// The package lets failures to spawn go by as events that nobody hears.
	const uncaught = new Promise<never>((_, reject) => process.on('uncaughtException', reject));
	const starting = Promise.race([startPostgres(), uncaught]);
	const answering: Promise<KeeperAnswer> = starting.then(
		({ url }) => ({ url }),
		(error: unknown) => ({ error: String(error) }),
	);

	const leave = async () => {
		if (isLeaving) return;
		isLeaving = true;
		door.close();
		for (const socket of connected) socket.destroy();
		await (await starting.catch(() => undefined))?.stop();
		rmSync(keeperDirectory, { recursive: true, force: true });
		process.exit();
	};
	const leaveSoon = () => {
		clearTimeout(linger);
		if (connected.size === 0) linger = setTimeout(leave, LINGER_MS);
	};

	const door: Server = createServer(async (socket) => {
		connected.add(socket);
		clearTimeout(linger);
		socket.on('error', () => {});
		socket.on('close', () => {
			connected.delete(socket);
			leaveSoon();
		});
		// Without reading, the other side's end would never be seen.
		socket.resume();
		const answer = await answering;
		socket.write(`${JSON.stringify(answer)}\n`);
		if ('error' in answer) socket.end(leave);
	});
	rmSync(socketPath, { force: true });
	door.listen(socketPath, leaveSoon);
	for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, leave);
}

mkdirSync(keeperDirectory, { recursive: true });
// The user that PostgreSQL runs as must reach its cluster.
chmodSync(keeperDirectory, 0o755);
if (takeLock()) {
	endAbandonedServer();
	keep();
} else {
	heldLock?.close();
}
