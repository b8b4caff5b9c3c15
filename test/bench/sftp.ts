// The sFTP door beside OpenSSH's `internal-sftp`: the same client, the same files, in turns, on this machine.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Installation, startInstallation } from '../helpers/daemon.ts';
import { type Door, opensshSftp } from '../helpers/daemon-clients.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { generate } from './generate.ts';
import { readProcess } from './process-usage.ts';
import { type BenchRow, median } from './table.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 5);
const LARGE_BYTES = 256 * 1024 * 1024;
const SMALL_FILES = 1_000;
const SMALL_BYTES = 10 * 1024;
const SESSIONS = 50;
const SESSION_BYTES = 20 * 1024 * 1024;
const LOOK_EVERY_MS = 50;
const GIVE_UP_MS = 300_000;
const FOLDER = '/tokenize/SIMPLECSV';
const OUTPUTS = '/tokenized/SIMPLECSV';

const GCM = ['-o', 'Ciphers=aes128-gcm@openssh.com'];
const CHACHA = ['-o', 'Ciphers=chacha20-poly1305@openssh.com'];
const LARGE_PACKETS = ['-B', '261120'];

/** A server that the client is pointed at, and where it takes and gives files. */
interface Server {
	readonly door: Door;
	/** The folder that takes uploads. */
	readonly inbox: string;
	readonly pid?: number;
}

/** Measures transfers of large files, of many small ones, and of many sessions. */
export async function sftpRows(folder: string): Promise<BenchRow[]> {
	const releases: (() => unknown)[] = [];
	const t = { teardown: (release: () => unknown) => void releases.push(release) } as ExecutionContext<unknown>;
	try {
		const { installation, daemon } = await startInstallation(t);
		const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
		const ours: Server = {
			door: { port: daemon.sftpPort, folder: installation.folder, userName, password },
			inbox: FOLDER,
			pid: daemon.pid,
		};
		const sshd = await startSshd(t);
		const openssh: Server = { door: { ...sshd, password: '', folder: installation.folder }, inbox: sshd.folder };
		const large = generate('SIMPLECSV', join(folder, 'large.csv'), LARGE_BYTES);
		// Two outputs of ours are needed for the downloads: a finished job's file is sealed as complete.
		await send(ours, [`put ${large.path} ${FOLDER}/large.csv`]);
		await outputs(installation, 1);
		await send(openssh, [`put ${large.path} ${sshd.folder}/large.csv`]);
		const rows = [
			...(await uploads(ours, openssh, large)),
			...(await downloads(ours, openssh, { ...large, path: join(folder, 'down.csv') })),
		];
		rmSync(large.path);
		rows.push(...(await smallFiles(installation, ours, openssh, folder)));
		rows.push(...(await manySessions(ours, openssh, folder)));
		return rows;
	} finally {
		for (const release of releases.reverse()) await release();
	}
}

interface LargeFile {
	readonly path: string;
	readonly bytes: number;
}

async function uploads(ours: Server, openssh: Server, { path, bytes }: LargeFile): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const [what, options, target] of [
		['upload 256 MiB, aes-gcm', GCM, '1.0 (1.5)'],
		['upload 256 MiB, aes-gcm, -B 261120', [...GCM, ...LARGE_PACKETS], '1.0 (1.5)'],
		['upload 256 MiB, chacha20-poly1305', CHACHA, '0.9 (1.2)'],
	] as const) {
		// Under a partial name no job begins, so that what is timed is the upload alone.
		const put = (server: Server) => [`put ${path} ${server.inbox}/up.filepart`];
		rows.push(await beside({ what, target, ours, openssh, bytes, options, commands: put }));
	}
	return rows;
}

async function downloads(ours: Server, openssh: Server, { path, bytes }: LargeFile): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const [what, options] of [
		['download 256 MiB, aes-gcm', GCM],
		['download 256 MiB, aes-gcm, -B 261120', [...GCM, ...LARGE_PACKETS]],
		['download 256 MiB, chacha20-poly1305', CHACHA],
	] as const) {
		const get = (server: Server) => [`get ${server === ours ? OUTPUTS : server.inbox}/large.csv ${path}`];
		rows.push(await beside({ what, target: '0.9 (1.3)', ours, openssh, bytes, options, commands: get }));
	}
	rmSync(path);
	return rows;
}

/** Runs the same commands against both servers in turns, and tells the rate of each and their ratio. */
async function beside(task: {
	what: string;
	target: string;
	ours: Server;
	openssh: Server;
	bytes: number;
	options: readonly string[];
	commands: (server: Server) => readonly string[];
}): Promise<BenchRow> {
	const { ours, openssh, bytes, options, commands } = task;
	const times = { ours: [] as number[], openssh: [] as number[], processor: [] as number[] };
	for (let n = 0; n < RUNS; n++) {
		times.openssh.push(await send(openssh, commands(openssh), options));
		const before = readProcess(ours.pid!).processorSeconds;
		times.ours.push(await send(ours, commands(ours), options));
		times.processor.push(readProcess(ours.pid!).processorSeconds - before);
	}
	const rate = (seconds: readonly number[]) => bytes / 1e6 / median(seconds);
	const [mine, theirs] = [rate(times.ours), rate(times.openssh)];
	return {
		what: task.what,
		result: `${mine.toFixed(0)} MB/s, OpenSSH ${theirs.toFixed(0)}: ${(mine / theirs).toFixed(2)} (${median(times.processor).toFixed(2)} s of processor time)`,
		target: task.target,
	};
}

/** Returns the seconds that a client took. */
async function send({ door }: Server, commands: readonly string[], options: readonly string[] = GCM): Promise<number> {
	const started = performance.now();
	const { code, stderr } = await opensshSftp(door, commands, options, GIVE_UP_MS);
	if (code !== 0) throw new Error(`sftp: ${stderr}`);
	return (performance.now() - started) / 1000;
}

/** Waits until the account has so many outputs. */
async function outputs(installation: Installation, count: number): Promise<void> {
	const { database } = await installation.rooms();
	for (;;) {
		const row = await database.knex('drop_files').where({ area: 'tokenized' }).count({ found: '*' }).first();
		if (Number(row?.found) >= count) return;
		await sleep(LOOK_EVERY_MS);
	}
}

/** One session that uploads a thousand files: with their jobs, and under partial names without. */
async function smallFiles(
	installation: Installation,
	ours: Server,
	openssh: Server,
	folder: string,
): Promise<BenchRow[]> {
	const local = join(folder, 'small');
	mkdirSync(local);
	const names = Array.from({ length: SMALL_FILES }, (_, n) => `s${n}.csv`);
	const { path } = generate('SIMPLECSV', join(folder, 'small.csv'), SMALL_BYTES);
	const { readFileSync } = await import('node:fs');
	const content = readFileSync(path);
	for (const name of names) writeFileSync(join(local, name), content);
	const times = { ours: [] as number[], synced: [] as number[], partial: [] as number[], openssh: [] as number[] };
	let done = 1;
	for (let n = 0; n < Math.min(RUNS, 3); n++) {
		const each = (line: (name: string) => string) => names.map(line);
		times.openssh.push(
			await send(
				openssh,
				each((name) => `put ${local}/${name} ${openssh.inbox}/${name}`),
			),
		);
		times.synced.push(
			await send(
				openssh,
				each((name) => `put -f ${local}/${name} ${openssh.inbox}/${name}`),
			),
		);
		times.partial.push(
			await send(
				ours,
				each((name) => `put ${local}/${name} ${FOLDER}/${name}.filepart`),
			),
		);
		times.ours.push(
			await send(
				ours,
				each((name) => `put ${local}/${name} ${FOLDER}/run${n}-${name}`),
			),
		);
		done += SMALL_FILES;
		await outputs(installation, done);
	}
	rmSync(local, { recursive: true });
	const [mine, partial] = [median(times.ours), median(times.partial)];
	const [plain, synced] = [median(times.openssh), median(times.synced)];
	return [
		{
			what: `${SMALL_FILES} files of 10 KiB, one session, jobs running`,
			result: `${mine.toFixed(2)} s; OpenSSH put -f ${synced.toFixed(2)} s, put ${plain.toFixed(2)} s: ${(synced / mine).toFixed(2)} of put -f`,
			target: '0.35 (0.8)',
		},
		{
			what: 'the same under partial names, without jobs',
			result: `${partial.toFixed(2)} s: ${(synced / partial).toFixed(2)} of put -f`,
			target: '',
		},
	];
}

/** Many sessions that upload at once; the memory is the daemon's highest. */
async function manySessions(ours: Server, openssh: Server, folder: string): Promise<BenchRow[]> {
	const { path, bytes } = generate('SIMPLECSV', join(folder, 'session.csv'), SESSION_BYTES);
	const all = async (server: Server, name: (n: number) => string) => {
		const started = performance.now();
		await Promise.all(
			Array.from({ length: SESSIONS }, (_, n) => send(server, [`put ${path} ${server.inbox}/${name(n)}`])),
		);
		return (performance.now() - started) / 1000;
	};
	const times = { ours: [] as number[], openssh: [] as number[] };
	for (let n = 0; n < Math.min(RUNS, 3); n++) {
		times.openssh.push(await all(openssh, (each) => `session${each}.csv`));
		times.ours.push(await all(ours, (each) => `session${each}.filepart`));
	}
	rmSync(path);
	const rate = (seconds: readonly number[]) => (SESSIONS * bytes) / 1e6 / median(seconds);
	const [mine, theirs] = [rate(times.ours), rate(times.openssh)];
	const { peakMb } = readProcess(ours.pid!);
	return [
		{
			what: `${SESSIONS} sessions of 20 MiB, total; resident memory at its highest`,
			result: `${mine.toFixed(0)} MB/s, OpenSSH ${theirs.toFixed(0)}: ${(mine / theirs).toFixed(2)}; ${peakMb.toFixed(0)} MB`,
			target: '1.0; 400 MB (1.3; 300 MB)',
		},
	];
}
