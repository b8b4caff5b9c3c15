// Starts PgBouncer in transaction mode before a server of PostgreSQL, as operators have it: it lends each connection to
// the server for one transaction.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { PGBOUNCER } from './programs.ts';
import { until } from './until.ts';

export interface Pooler {
	/** Returns the URL of a database that leads through the pooler. */
	through(url: string): string;
	stop(): Promise<void>;
}

/** How many connections to the server the clients of one database share. There are fewer than tests have clients. */
const POOL_SIZE = 4;

/** @param server is the address of the server's administrator */
export async function startPooler(server: string): Promise<Pooler> {
	const { username, password, hostname, port } = new URL(server);
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-pooler-'));
	const own = await freePort();
	const settings = [
		...['[databases]', `* = host=${hostname} port=${port}`],
		...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${own}`, 'unix_socket_dir ='],
		...['auth_type = scram-sha-256', `auth_file = ${join(folder, 'users.txt')}`],
		...['pool_mode = transaction', `default_pool_size = ${POOL_SIZE}`, 'max_client_conn = 500'],
		// A database of a test is dropped at its end, and needs no connection from then on.
		...['server_idle_timeout = 2', 'ignore_startup_parameters ='],
	];
	writeFileSync(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
	writeFileSync(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
	// It does not run as root. The folder has nothing but the password of a server for tests.
	chmodSync(folder, 0o755);
	let said = '';
	const child = spawn(PGBOUNCER, [join(folder, 'pgbouncer.ini')], {
		stdio: ['ignore', 'ignore', 'pipe'],
		...(process.getuid?.() === 0 && { uid: idOf('-u'), gid: idOf('-g') }),
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
	// A process of tests ends without waiting for it.
	child.unref();
	(child.stderr as Socket).unref();
	const kill = () => void child.kill('SIGKILL');
	process.once('exit', kill);
	await until('PgBouncer listens', () => {
		if (child.exitCode !== null) throw new Error(`PgBouncer did not start: ${said}`);
		return listens(own);
	});
	return {
		through(url) {
			const whole = new URL(url);
			whole.host = `127.0.0.1:${own}`;
			return whole.href;
		},
		async stop() {
			process.off('exit', kill);
			await ended(child);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Returns an id of the user `postgres`, as whom the servers of tests run too. */
function idOf(which: '-u' | '-g'): number {
	return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
}

function listens(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}

function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
	return new Promise((resolve) => {
		child.once('exit', () => resolve());
		child.kill('SIGKILL');
	});
}

let shared: Promise<Pooler> | undefined;

/**
 * Returns the URL of a test's database as it is, or with `TOKENDROP_TEST_POOLER=1` through a pooler that all tests of this
 * process share.
 */
export async function perhapsThroughPooler(url: string): Promise<string> {
	if (process.env.TOKENDROP_TEST_POOLER !== '1') return url;
	shared ??= startPooler(url);
	return (await shared).through(url);
}
