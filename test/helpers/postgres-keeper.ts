// Runs as a process of its own, which postgres-server.ts starts and never a person. It starts PostgreSQL, tells everybody
// who connects where the server is, and removes it with its files once nobody has been connected for a while.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { freePort } from './free-port.ts';
import { clusterOptions, loadEmbeddedPostgres } from './postgres-package.ts';
import { type KeeperAnswer, keeperDirectory } from './postgres-server.ts';

/**
 * How long the server is kept while nobody is connected. This bridges the pause between two runs by hand, because a new
 * start takes seconds.
 */
const LINGER_MS = 10_000;
const START_TRIES = 3;
const clusterDirectory = join(keeperDirectory, 'cluster');
const socketPath = join(keeperDirectory, 'keeper.sock');

/**
 * Takes a lock that the kernel releases however this process ends, on every platform: the lock of SQLite on an empty file.
 * Returns false if another keeper is at work, or was and has just removed the file.
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
/** The handle is kept here, because the lock is released when the handle is collected as garbage. */
let heldLock: SqliteDatabase.Database | undefined;

/**
 * Ends the server that a killed keeper left behind. It ends the process that the file names only if that runs on this
 * directory.
 */
function endAbandonedServer(): void {
	try {
		const [pid] = readFileSync(join(clusterDirectory, 'postmaster.pid'), 'utf8').split('\n');
		if (commandLineOf(pid).includes(clusterDirectory)) process.kill(Number(pid), 'SIGQUIT');
	} catch {
		// There is no such file or no such process, so nothing was left behind.
	}
	for (const name of ['cluster', 'node_modules', 'log']) {
		rmSync(join(keeperDirectory, name), { recursive: true, force: true });
	}
}

/**
 * Returns the command line of a process, from /proc or else from `ps`: small containers have no `ps`, other systems no
 * /proc.
 */
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
				// Databases live for seconds, with hundreds of rows at most, so nothing needs to be vacuumed.
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
			// Another process may have taken the port in between, so another port is tried. The server's log has the reason.
			if (!isInitialised || tries === START_TRIES)
				throw error ?? new Error(readFileSync(join(keeperDirectory, 'log'), 'utf8'));
		}
	}
}

function keep(): void {
	const connected = new Set<Socket>();
	let linger: NodeJS.Timeout | undefined;
	let isLeaving = false;
	// The package does not listen for the events of a failure to spawn, so this failure ends up as an uncaught exception.
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
		// The socket has to be read, because otherwise its closing by the other side would go unnoticed.
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
