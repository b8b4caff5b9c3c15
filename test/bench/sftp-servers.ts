// The daemon and OpenSSH's `internal-sftp`, beside each other: the same clients, the same key, the same files, in turns.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { type Installation, startInstallation } from '../helpers/daemon.ts';
import { type Door, opensshSftp } from '../helpers/daemon-clients.ts';
import { startSshd } from '../helpers/sftp-partner.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { findMissingPrograms, tellMissing } from './missing.ts';
import { readProcess } from './process-usage.ts';
import type { BenchRow } from './table.ts';
import { makeUnlimitedAccount } from './unlimited-account.ts';
import { BENCH_WORKERS } from './with-daemon.ts';

const LOOK_EVERY_MS = 50;
const GIVE_UP_MS = 600_000;

export const GCM = ['-o', 'Ciphers=aes128-gcm@openssh.com'];

/** Fifty clients are one account here. */
const MANY_SESSIONS = { ...BENCH_WORKERS, TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '100' };

/** A server that the client is pointed at, and where it takes and gives files. */
export interface Server {
	readonly door: Door;
	/** The folder that takes uploads. */
	readonly inbox: string;
	/** The folder that gives what was made of them. */
	readonly outbox: string;
	/** Of the daemon, or of the process that leads those of OpenSSH. */
	readonly pid: number;
}

export interface Servers {
	readonly installation: Installation;
	readonly ours: Server;
	/** None where the machine has no sshd. */
	readonly openssh?: Server;
}

/** What both did, one number a run; nothing of OpenSSH's where the machine has no sshd. */
export interface Beside {
	readonly ours: number[];
	readonly openssh: number[];
}

/** Starts both, lets `measure` have them, and ends them. */
export async function withServers<T>(measure: (servers: Servers) => Promise<T>): Promise<T> {
	const releases: (() => unknown)[] = [];
	const t = { teardown: (release: () => unknown) => void releases.push(release) } as ExecutionContext<unknown>;
	try {
		const { installation, daemon } = await startInstallation(t, { variables: MANY_SESSIONS });
		const { userId: userName, apiKey: password } = await makeUnlimitedAccount(installation);
		const sshd = findMissingPrograms('sshd').length === 0 ? await startSshd(t) : undefined;
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
	} finally {
		for (const release of releases.reverse()) await release();
	}
}

/** Returns the seconds that OpenSSH's client took. */
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

/** Has both servers give a file of this name: ours as the output of a job. */
export async function offer({ installation, ours, openssh }: Servers, path: string, name: string): Promise<void> {
	await send(ours, [`put ${path} ${ours.inbox}/${name}`]);
	if (openssh) await send(openssh, [`put ${path} ${openssh.inbox}/${name}`]);
	await outputs(installation, name);
}

/** Waits until the account has so many outputs whose names are like this. */
export async function outputs(installation: Installation, like: string, count = 1): Promise<void> {
	const { database } = await installation.rooms();
	for (;;) {
		const found = database.knex('drop_files').where({ area: 'tokenized' }).where('name', 'like', like);
		const row = await found.count({ found: '*' }).first();
		if (Number(row?.found) >= count) return;
		await sleep(LOOK_EVERY_MS);
	}
}

/** Runs the same on both servers in turns. */
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

/** The processor time of ours while `work` goes on, in seconds. */
export async function processorSeconds({ ours }: Servers, work: () => Promise<unknown>): Promise<number> {
	const before = readProcess(ours.pid).processorSeconds;
	await work();
	return readProcess(ours.pid).processorSeconds - before;
}

/** A row of rates: ours, OpenSSH's, and how many times OpenSSH's ours is. */
export function besideRow(row: {
	readonly what: string;
	readonly name: string;
	readonly target?: string;
	readonly goal?: FigureNotes;
	readonly rates: Beside;
	/** Further words. */
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
