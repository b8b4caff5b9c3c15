// Starts two PostgreSQL servers for one test: a primary, and a standby that follows it and can take its place.

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
	appendFileSync,
	chmodSync,
	chownSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Teardown } from './daemon.ts';
import { freePort } from './free-port.ts';
import { clusterOptions, loadEmbeddedPostgres } from './postgres-package.ts';
import { until } from './until.ts';

export interface PairServer {
	readonly port: number;
	/** The server's address as settings name it, with the password. */
	readonly url: string;
	/** Runs statements, one after the other, as the server's administrator and returns the rows of the last. */
	ask(...statements: string[]): Promise<Record<string, unknown>[]>;
	/** Ends every process of the server at once, as a loss of power does. */
	losePower(): Promise<void>;
	/** Stops every process of the server without ending it: connections stay open, and nothing is answered. */
	freeze(): void;
	/** Stops the process of a standby that receives what the primary writes. It goes on with `thaw`. */
	freezeReceiver(): Promise<void>;
	/** Lets all frozen processes go on. */
	thaw(): void;
	/** The folder of its files, which is another one after it has come back as a standby. */
	readonly databaseDir: string;
}

export interface PostgresPair {
	/** The address of both servers, of which the first primary is named first. */
	readonly url: string;
	/** What this server is called stays until `rejoin`, also when the other one was promoted meanwhile. */
	readonly primary: PairServer;
	readonly standby: PairServer;
	/** Makes each commit of the primary wait until the standby has it on its disk too. */
	replicateSynchronously(): Promise<void>;
	/** Waits until the standby has everything that the primary has written so far. */
	caughtUp(): Promise<void>;
	/** Makes the standby follow no longer, so that it falls behind. */
	partStandby(): Promise<void>;
	/** Makes the standby the primary, and returns when it takes writes. */
	promote(): Promise<void>;
	/**
	 * Makes the former primary, which has lost its power, the standby of the one that was promoted, on a copy of its files.
	 * From then on `primary` and `standby` are what they have become.
	 */
	rejoin(): Promise<void>;
}

export async function startPostgresPair(t: Teardown): Promise<PostgresPair> {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-pg-pair-'));
	// The user that PostgreSQL runs as must reach its files.
	chmodSync(folder, 0o755);
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const EmbeddedPostgres = await loadEmbeddedPostgres(folder);
	const password = randomBytes(16).toString('hex');

	const made = async (name: string) => {
		let databaseDir = join(folder, name);
		const port = await freePort();
		let said = '';
		const onLog = (text: unknown) => void (said += `${text}\n`);
		const newServer = () =>
			new EmbeddedPostgres({
				...{ ...clusterOptions(password), databaseDir, port, onLog, onError: onLog },
				postgresFlags: [
					...['-c', 'synchronous_commit=on', '-c', 'wal_keep_size=1GB', '-c', 'max_connections=100'],
					...['-c', 'wal_retrieve_retry_interval=100ms', '-c', 'wal_receiver_timeout=5s'],
					...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
				],
			});
		let server = newServer();
		t.teardown(async () => {
			each.thaw();
			// The package would wait for ever for a server that has ended before.
			if (pids().length > 0) await server.stop();
		});
		const start = async () => {
			let failed = false;
			said = '';
			// The package waits for the words of a primary. A standby accepts "read-only connections".
			server.start().catch(() => (failed = true));
			await until('the server is ready', () => failed || /is ready to accept/.test(said));
			if (failed) throw new Error(`PostgreSQL did not start: ${said}`);
		};
		const pids = (kind = '') => processesOf(databaseDir, kind);
		const frozen = new Set<number>();
		const freeze = (all: readonly number[]) => {
			for (const pid of all) {
				process.kill(pid, 'SIGSTOP');
				frozen.add(pid);
			}
		};
		const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
		const each: PairServer = {
			port,
			url,
			async ask(...statements) {
				const client = new pg.Client({ connectionString: url });
				await client.connect();
				try {
					let rows: Record<string, unknown>[] = [];
					for (const statement of statements) ({ rows } = await client.query(statement));
					return rows;
				} finally {
					await client.end();
				}
			},
			get databaseDir() {
				return databaseDir;
			},
			async losePower() {
				// A frozen process gets the signal before it could do anything else.
				for (const pid of frozen) if (pids().includes(pid)) process.kill(pid, 'SIGQUIT');
				const [first] = readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n');
				// With this signal the first process lets all others end without another write, and ends.
				process.kill(Number(first), 'SIGQUIT');
				each.thaw();
				await until('PostgreSQL has ended', () => pids().length === 0);
			},
			freeze: () => freeze(pids()),
			async freezeReceiver() {
				const receiver = await until('a process receives', () => {
					const found = pids('walreceiver');
					return found.length > 0 && found;
				});
				freeze(receiver);
			},
			thaw() {
				for (const pid of frozen) if (pids().includes(pid)) process.kill(pid, 'SIGCONT');
				frozen.clear();
			},
		};
		let copies = 0;
		return {
			...{ server: each, initialise: () => server.initialise(), start },
			/** Starts the server on the files that `copy` puts into a new folder. */
			async startAgain(copy: (into: string) => Promise<void>) {
				rmSync(databaseDir, { recursive: true, force: true });
				databaseDir = join(folder, `${name}-${++copies}`);
				await copy(databaseDir);
				server = newServer();
				await start();
			},
		};
	};

	let primary = await made('primary');
	let standby = await made('standby');
	const follow = ({ server: { port } }: typeof primary, databaseDir: string) => {
		const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
		const lines = [`primary_conninfo = '${source}'`, `synchronous_standby_names = ''`];
		appendFileSync(join(databaseDir, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
		writeFileSync(join(databaseDir, 'standby.signal'), '');
	};
	await primary.initialise();
	// Both begin with the same files, because the package has no pg_basebackup.
	execFileSync('cp', ['-a', primary.server.databaseDir, standby.server.databaseDir]);
	follow(primary, standby.server.databaseDir);
	await primary.start();
	await standby.start();
	const follows = async () => {
		const [row] = await primary.server.ask(`select 1 from pg_stat_replication where state = 'streaming'`);
		return row !== undefined;
	};
	await until('the standby follows', follows);
	return {
		url: `postgres://postgres:${password}@127.0.0.1:${primary.server.port},127.0.0.1:${standby.server.port}/postgres`,
		get primary() {
			return primary.server;
		},
		get standby() {
			return standby.server;
		},
		async replicateSynchronously() {
			await primary.server.ask(`alter system set synchronous_standby_names = 'standby'`, 'select pg_reload_conf()');
			await until('the standby is synchronous', async () => {
				const [row] = await primary.server.ask(`select 1 from pg_stat_replication where sync_state = 'sync'`);
				return row !== undefined;
			});
		},
		async caughtUp() {
			const [{ at }] = await primary.server.ask('select pg_current_wal_flush_lsn()::text as at');
			await until('the standby has caught up', async () => {
				const [{ has }] = await standby.server.ask(`select pg_last_wal_replay_lsn() >= '${at}' as has`);
				return has as boolean;
			});
		},
		async partStandby() {
			await standby.server.ask(
				`alter system set primary_conninfo = 'host=127.0.0.1 port=1'`,
				'select pg_reload_conf()',
			);
			await until('the standby follows no longer', async () => !(await follows()));
		},
		async promote() {
			await standby.server.ask('select pg_promote(true, 30)');
		},
		async rejoin() {
			const promoted = standby;
			await primary.startAgain(async (into) => {
				await copyFiles(promoted.server, into);
				follow(promoted, into);
			});
			[primary, standby] = [promoted, primary];
			await until('the standby follows', follows);
		},
	};
}

/** Copies the files of a running server, as its manual says for backups of one's own. */
async function copyFiles({ url, databaseDir }: PairServer, into: string): Promise<void> {
	// The connection stays open, because the backup ends with it.
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	try {
		await client.query(`select pg_backup_start('rejoin', true)`);
		// A file that is removed meanwhile is no error; the log of the server has what is needed.
		spawnSync('cp', ['-a', databaseDir, into], { stdio: 'ignore' });
		for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(into, name), { force: true });
		const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
		const label = join(into, 'backup_label');
		writeFileSync(label, rows[0].labelfile);
		// The server reads it, which runs as another user than root.
		const { uid, gid } = statSync(into);
		chownSync(label, uid, gid);
	} finally {
		await client.end();
	}
}

/** Returns the processes of a server by the directory in which they work, or those whose title has a word. */
function processesOf(databaseDir: string, word: string): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((pid) => {
			try {
				const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
				return readlinkSync(`/proc/${pid}/cwd`) === databaseDir && title.includes(word);
			} catch {
				return false;
			}
		})
		.map(Number);
}
