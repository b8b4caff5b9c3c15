// Measures a daemon of two processes beside one of a single process on PostgreSQL, in turns. PostgreSQL, the load and the
// target share the processors with both, so that besides the rates the processor time of a call tells what a machine with
// more cores does.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../test/helpers/daemon.ts';
import { opensshSftp } from '../test/helpers/daemon-clients.ts';
import { makeSshKeyPair } from '../test/helpers/ssh-key-pair.ts';
import { amount, cutBytes, runs, tellBytes } from './amounts.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { cardNumber, generate } from './generate.ts';
import { relayLoad } from './loads.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import type { BenchPostgres } from './postgres.ts';
import { readFamily } from './process-usage.ts';
import { openProxies } from './proxies.ts';
import { JSON_PROFILE, jsonBody } from './relay-bodies.ts';
import { relayTask, storeCards } from './relay-calls.ts';
import type { RelayLoad } from './relay-load.ts';
import { GCM } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const SECONDS = amount('BENCH_SECONDS', 6);
const WARM_SECONDS = 3;
const RUNS = runs(5);
/** So many that the calls of each process still share commits, as those of one process do. */
const CONNECTIONS = 256;
const SESSIONS = 20;
const BYTES = cutBytes(20 * 1024 * 1024);
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

/** What was measured of a daemon: what it did in a second, and the processor time of all its processes for each of these. */
interface Rate {
	readonly perSecond: number;
	readonly micros: number;
}

/** A daemon that is measured. */
interface Daemon {
	readonly pid: number;
	readonly store: RelayLoad;
	readonly relay: RelayLoad;
	/** Sends all files at once, and returns how many there were. */
	upload(): Promise<number>;
}

interface Measurement {
	readonly name: string;
	readonly what: string;
	readonly unit: 'requests/s' | 'MB/s';
	readonly target: string;
	readonly goal: FigureNotes;
	run(daemon: Daemon): Promise<Rate>;
}

export async function processesRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const proxies = await openProxies(folder, {});
	const file = generate('NOCARD', join(folder, 'processes.csv'), BYTES);
	const open = async <T>(processes: number, measure: (daemon: Daemon) => Promise<T>): Promise<T> => {
		const variables = {
			TOKENDROP_DATABASE_URL: await postgres.createDatabase(),
			TOKENDROP_PROCESSES: String(processes),
			TOKENDROP_RELAY_ALLOW_PRIVATE: 'true',
			TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: String(SESSIONS),
		};
		return withDaemon(variables, async (url, account, installation, { pid, sftpPort }) => {
			await installation.json('profile', 'put', '--user-id', account.userId, '--file', JSON_PROFILE(folder));
			const caller = { url, apiKey: account.apiKey, tokens: await storeCards(url, account.apiKey) };
			const headers = { ...JSON_TYPE, 'x-service-api-key': account.apiKey };
			const card = { Type: 'Visa', Number: cardNumber(1), ExpirationDate: { Month: '12', Year: '2029' } };
			const load = { connections: CONNECTIONS, seconds: SECONDS };
			const keyFile = await addSshKey(installation, account.userId);
			const door = {
				...{ port: sftpPort, folder: installation.folder },
				...{ userName: account.userId, password: '', keyFile },
			};
			const put = async (n: number) => {
				const options = [...GCM, '-o', `BindAddress=127.0.${n + 1}.1`];
				const { code, stderr } = await opensshSftp(
					door,
					[`put ${file.path} /tokenize/SIMPLECSV/${n}.filepart`],
					options,
					GIVE_UP_MS,
				);
				if (code !== 0) throw new Error(`sftp: ${stderr}`);
			};
			return measure({
				pid,
				store: {
					...{ url, paths: ['/api/payments/paycard'], headers },
					...{ body: JSON.stringify({ BankCard: card }), ...load },
				},
				relay: { ...relayTask(caller, 'BenchJson', proxies.targetUrl, JSON_TYPE, jsonBody('')), ...load },
				async upload() {
					await Promise.all(Array.from({ length: SESSIONS }, (_, n) => put(n)));
					return SESSIONS;
				},
			});
		});
	};
	try {
		return await open(1, (one) => open(2, (two) => measureAll({ one, two })));
	} finally {
		rmSync(file.path);
		await proxies.close();
	}
}

const GIVE_UP_MS = 600_000;

async function addSshKey({ folder, json }: Installation, userId: string): Promise<string> {
	const pair = makeSshKeyPair();
	const keyFile = join(folder, 'id_ed25519');
	writeFileSync(keyFile, pair.private, { mode: 0o600 });
	writeFileSync(`${keyFile}.pub`, `${pair.public}\n`);
	await json('ssh-key', 'add', '--user-id', userId, '--file', `${keyFile}.pub`);
	return keyFile;
}

const MEASUREMENTS: readonly Measurement[] = [
	{
		...{ name: 'stores', what: 'store one card', unit: 'requests/s', target: '1.5 times (1.9)' },
		...{ goal: { must: 1.5, aim: 1.9 }, run: ({ pid, store }) => called(pid, store) },
	},
	{
		...{ name: 'relays', what: 'relay, 2 KB JSON', unit: 'requests/s', target: '1.5 times (1.9)' },
		...{ goal: { must: 1.5, aim: 1.9 }, run: ({ pid, relay }) => called(pid, relay) },
	},
	{
		...{ name: 'sessions', what: `${SESSIONS} sessions of ${tellBytes(BYTES)}`, unit: 'MB/s' },
		...{ target: '1.2 times (1.9)', goal: { must: 1.2, aim: 1.9 } },
		async run({ pid, upload }) {
			const started = performance.now();
			const { result: files, seconds } = await usedBy(pid, upload);
			const megabytes = (files * BYTES) / 1e6;
			return { perSecond: (megabytes * 1000) / (performance.now() - started), micros: (seconds * 1e6) / megabytes };
		},
	},
];

async function measureAll(daemons: { readonly one: Daemon; readonly two: Daemon }): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const measurement of MEASUREMENTS) {
		const what = `${measurement.what}, two processes beside one`;
		const missing = measurement.name === 'sessions' ? findMissingPrograms('sftp') : [];
		if (missing.length > 0) rows.push(missingRow(what, missing, measurement.target));
		else rows.push(await rowOf(what, measurement, daemons));
	}
	return rows;
}

async function rowOf(
	what: string,
	{ name, unit, target, goal, run }: Measurement,
	{ one, two }: { readonly one: Daemon; readonly two: Daemon },
): Promise<BenchRow> {
	const rates: { readonly one: Rate; readonly two: Rate }[] = [];
	for (let n = -1; n < RUNS; n++) {
		const rate = { one: await run(one), two: await run(two) };
		// Both have compiled their code after the first turn, and opened their connections.
		if (n >= 0) rates.push(rate);
	}
	const times = rates.map((rate) => rate.two.perSecond / rate.one.perSecond);
	const costs = rates.map((rate) => rate.two.micros / rate.one.micros);
	const of = (which: 'one' | 'two', key: keyof Rate) => median(rates.map((rate) => rate[which][key]));
	const per = unit === 'MB/s' ? 'a MB' : 'each';
	const told = (which: 'one' | 'two') =>
		`${Math.round(of(which, 'perSecond'))} ${unit}, ${Math.round(of(which, 'micros'))} µs of the processor ${per}`;
	return {
		...{ what, target },
		result: `${median(times).toFixed(2)} times the rate, ${median(costs).toFixed(2)} times the processor time: ${told('two')}; one: ${told('one')}`,
		figures: [
			figure(`processes/${name}/times`, 'times', times, goal),
			figure(`processes/${name}/processor time beside one`, 'times', costs, { larger: 'worse' }),
		],
	};
}

async function called(pid: number, task: RelayLoad): Promise<Rate> {
	await relayLoad({ ...task, seconds: Math.min(WARM_SECONDS, task.seconds) });
	const { result, seconds } = await usedBy(pid, () => relayLoad(task));
	if (result.failures > 0) throw new Error(`${result.failures} calls failed`);
	return {
		perSecond: result.requestsPerSecond,
		micros: (seconds * 1e6) / (result.requestsPerSecond * task.seconds),
	};
}

async function usedBy<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
	const before = readFamily(pid);
	const result = await work();
	return { result, seconds: readFamily(pid) - before };
}
