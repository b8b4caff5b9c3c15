// Runs the daemon and OpenSSH's `internal-sftp` beside each other: with the same clients, the same key and the same files,
// in turns.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Installation, startInstallation } from '../test/helpers/daemon.ts';
import { type Door, opensshSftp } from '../test/helpers/daemon-clients.ts';
import { startSshd } from '../test/helpers/sftp-partner.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { findMissingPrograms, tellMissing } from './missing.ts';
import { readProcess } from './process-usage.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const LOOK_EVERY_MS = 50;
const GIVE_UP_MS = 600_000;

export const GCM = ['-o', 'Ciphers=aes128-gcm@openssh.com'];

/** These variables let one account have many sessions, because the fifty clients all use the same account. */
const MANY_SESSIONS = { ...BENCH_WORKERS, TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '100' };

/** A server that the clients connect to, and its folders. */
export interface Server {
	readonly door: Door;
	/** The folder that takes uploads. */
	readonly inbox: string;
	/** The folder with what was made of the uploads. */
	readonly outbox: string;
	/** The process of the daemon, or the first process of OpenSSH, which starts its others. */
	readonly pid: number;
}

export interface Servers {
	readonly installation: Installation;
	readonly ours: Server;
	/** The server of OpenSSH, undefined if the machine has no sshd. */
	readonly openssh?: Server;
}

/** What both servers did, one number for each run; `openssh` is empty if the machine has no sshd. */
export interface Beside {
	readonly ours: number[];
	readonly openssh: number[];
}

/** Starts both servers, runs `measure` with them, and ends them. */
export async function withServers<T>(measure: (servers: Servers) => Promise<T>): Promise<T> {
	await using t = new Teardowns();
	const { installation, daemon } = await startInstallation(t, { variables: MANY_SESSIONS });
	const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
	const sshd = findMissingPrograms('sshd').length === 0 ? await startSshd(t as unknown as ExecutionContext) : undefined;
	if (sshd) await installation.json('ssh-key', 'add', '--user-id', userName, '--file', `${sshd.keyFile}.pub`);
	const { folder } = installation;
	const door: Door = { port: daemon.sftpPort, folder, userName, password, keyFile: sshd?.keyFile };
	const ours = { door, inbox: '/tokenize/SIMPLECSV', outbox: '/tokenized/SIMPLECSV', pid: daemon.pid };
	if (sshd === undefined) return await measure({ installation, ours });
	const theirs: Door = { ...sshd, password: '', folder };
	return await measure({
		installation,
		ours,
		openssh: { door: theirs, inbox: sshd.folder, outbox: sshd.folder, pid: sshd.pid! },
	});
}

/** Runs commands in OpenSSH's client, and returns the seconds that it took. */
export async function send(
	{ door }: Server,
	commands: readonly string[],
	options: readonly string[] = GCM,
): Promise<number> {
	const started = performance.now();
	const { code, stderr } = await opensshSftp(door, commands, options, GIVE_UP_MS);
	if (code !== 0) throw new Error(`sftp: ${stderr}`);
	return (performance.now() - started) / 1000;
}

/** Uploads a file to both servers, so that they have it to download. In the daemon it is the output of a job. */
export async function offer({ installation, ours, openssh }: Servers, path: string, name: string): Promise<void> {
	await send(ours, [`put ${path} ${ours.inbox}/${name}`]);
	if (openssh) await send(openssh, [`put ${path} ${openssh.inbox}/${name}`]);
	await outputs(installation, name);
}

/** Waits until there are so many outputs whose names match a pattern of SQL. */
export async function outputs(installation: Installation, like: string, count = 1): Promise<void> {
	const { database } = await installation.parts();
	for (;;) {
		const found = database.knex('drop_files').where({ area: 'tokenized' }).where('name', 'like', like);
		const row = await found.count({ found: '*' }).first();
		if (Number(row?.found) >= count) return;
		await sleep(LOOK_EVERY_MS);
	}
}

/** Runs the same measurement on both servers, in turns. */
export async function inTurns(
	{ ours, openssh }: Servers,
	runs: number,
	measure: (server: Server) => Promise<number>,
): Promise<Beside> {
	const all: Beside = { ours: [], openssh: [] };
	for (let n = 0; n < runs; n++) {
		if (openssh) all.openssh.push(await measure(openssh));
		all.ours.push(await measure(ours));
	}
	return all;
}

/** Returns the processor time, in seconds, that the daemon takes while `work` goes on. */
export async function processorSeconds({ ours }: Servers, work: () => Promise<unknown>): Promise<number> {
	const before = readProcess(ours.pid).processorSeconds;
	await work();
	return readProcess(ours.pid).processorSeconds - before;
}

/** Makes a row of rates: ours, that of OpenSSH, and ours divided by that of OpenSSH. */
export function besideRow(row: {
	readonly what: string;
	readonly name: string;
	readonly target?: string;
	readonly goal?: FigureNotes;
	readonly rates: Beside;
	/** The text that is added at the end of the result. */
	readonly more?: string;
}): BenchRow {
	const { what, name, target = '', goal, rates, more = '' } = row;
	const mine = median(rates.ours);
	const figures = [figure(`${name}/ours`, 'MB/s', rates.ours)];
	if (rates.openssh.length === 0) {
		const result = `${tellRate(mine)} MB/s${more}; OpenSSH ${tellMissing(['sshd'])}`;
		return { what, target, result, figures };
	}
	const theirs = median(rates.openssh);
	figures.push(figure(`${name}/OpenSSH`, 'MB/s', rates.openssh, { larger: 'neither' }));
	figures.push(figure(`${name}/times OpenSSH`, 'times', mine / theirs, goal));
	const ratio = (mine / theirs).toFixed(2);
	return { what, target, result: `${tellRate(mine)} MB/s, OpenSSH ${tellRate(theirs)}: ${ratio}${more}`, figures };
}

const tellRate = (rate: number) => rate.toFixed(rate < 10 ? 2 : 0);
