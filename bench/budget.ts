// Measures the processor time of a call beside that of a bare Fastify route that parses the same body, in turns. Requests a
// second say little where load and target share the processors with the daemon; its own processor time says what a core does.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunningDaemon } from '../test/helpers/daemon.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { amount, runs } from './amounts.ts';
import { readSteps } from './budget-lines.ts';
import { type FigureNotes, figure, median } from './figures.ts';
import { cardNumber } from './generate.ts';
import { relayLoad } from './loads.ts';
import { readProcess } from './process-usage.ts';
import { openProxies } from './proxies.ts';
import { JSON_PROFILE, jsonBody } from './relay-bodies.ts';
import { type Caller, relayTask, storeCards } from './relay-calls.ts';
import type { RelayLoad, RelayLoadResult } from './relay-load.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const BARE = fileURLToPath(new URL('./bare-route.ts', import.meta.url));
const SECONDS = amount('BENCH_SECONDS', 6);
const WARM_SECONDS = 3;
const RUNS = runs(5);
const CONNECTIONS = 32;
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

/** A call that is measured, and the process that answers it. */
interface Measured {
	readonly name: string;
	readonly what: string;
	readonly pid: number;
	readonly task: Pick<RelayLoad, 'url' | 'paths' | 'headers' | 'body' | 'method'>;
	/** The call of the bare route that parses the same body. */
	readonly beside?: 'bare card' | 'bare booking';
	readonly target: string;
	readonly goal?: FigureNotes;
}

/** What each daemon is started with: it writes a line in its log for each call, as one of an installation does. */
const VARIABLES = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true', TOKENDROP_LOG_LEVEL: 'info' };

/** Returns a row for each call, and a row that says for what it takes its time. */
export async function budgetRows(folder: string): Promise<BenchRow[]> {
	const bare = await startBareRoute();
	const proxies = await openProxies(folder, {});
	const open = <T>(more: Record<string, string>, use: (calls: Measured[], daemon: RunningDaemon) => Promise<T>) =>
		withDaemon({ ...VARIABLES, ...more }, async (url, account, { json }, daemon) => {
			await json('profile', 'put', '--user-id', account.userId, '--file', JSON_PROFILE(folder));
			const caller = { url, apiKey: account.apiKey, tokens: await storeCards(url, account.apiKey) };
			return use(callsOf({ caller, bare, targetUrl: proxies.targetUrl, pid: daemon.pid }), daemon);
		});
	try {
		const rows = await open({}, measure);
		for (const { name, what } of rows.filter(({ beside }) => beside !== undefined)) {
			const profiles = join(folder, name);
			const options = `--cpu-prof --cpu-prof-dir=${profiles} --cpu-prof-interval=500`;
			await open({ NODE_OPTIONS: options }, async (calls, daemon) => {
				await load(calls.find((call) => call.name === name)!, WARM_SECONDS + SECONDS);
				// The profile is written when the process ends in order.
				await daemon.stop();
			});
			rows.push(stepsRow(name, what, readSteps(profiles), rows.find((row) => row.name === name)!.micros));
		}
		return rows;
	} finally {
		await proxies.close();
		bare.stop();
	}
}

interface CallRow extends BenchRow {
	readonly name: string;
	readonly beside: Measured['beside'];
	/** The processor time of a call. */
	readonly micros: number;
}

function callsOf({
	caller,
	bare,
	targetUrl,
	pid,
}: {
	caller: Caller;
	bare: { readonly url: string; readonly pid: number };
	targetUrl: string;
	pid: number;
}): Measured[] {
	const { url, apiKey, tokens } = caller;
	const headers = { ...JSON_TYPE, 'x-service-api-key': apiKey };
	const card = { Type: 'Visa', Number: cardNumber(1), ExpirationDate: { Month: '12', Year: '2029' } };
	const body = JSON.stringify({ BankCard: card });
	const bareCall = (sent: string) => ({ url: bare.url, paths: ['/card'], headers, body: sent });
	return [
		{ name: 'bare card', what: 'bare route, card', pid: bare.pid, task: bareCall(body), target: LIMIT },
		{
			...{ name: 'bare booking', what: 'bare route, 2 KB JSON', pid: bare.pid },
			...{ task: bareCall(jsonBody('')), target: LIMIT },
		},
		{
			...{ name: 'store', what: 'store one card, SQLite', pid, beside: 'bare card' },
			task: { url, paths: ['/api/payments/paycard'], headers, body },
			...{ target: '3 times (2)', goal: { must: 3, aim: 2 } },
		},
		{
			...{ name: 'metadata', what: 'metadata by token, SQLite', pid, beside: 'bare card' },
			task: {
				...{ url, headers, body: '', method: 'GET' },
				paths: tokens.map((token) => `/api/payments/paycard/${token}/meta`),
			},
			...{ target: '2.2 times (1.5)', goal: { must: 2.2, aim: 1.5 } },
		},
		{
			...{ name: 'relay', what: 'relay, 2 KB JSON, one token', pid, beside: 'bare booking' },
			task: relayTask(caller, 'BenchJson', targetUrl, JSON_TYPE, jsonBody('')),
			...{ target: '5 times (3)', goal: { must: 5, aim: 3 } },
		},
	];
}

/** Tells the steps of a call, the longest first. */
function stepsRow(name: string, what: string, steps: ReadonlyMap<string, number>, micros: number): CallRow {
	const longest = [...steps].sort(([, one], [, other]) => other - one);
	const told = longest.map(
		([step, share]) => `${step} ${(share * micros).toFixed(0)} µs (${Math.round(share * 100)} %)`,
	);
	const figures = longest.map(([step, share]) =>
		figure(`budget/${name}/steps/${step}`, 'µs', share * micros, { larger: 'neither' }),
	);
	return {
		name: `${name} steps`,
		beside: undefined,
		micros,
		what: `${what}: steps`,
		result: told.join(', '),
		target: '',
		figures,
	};
}

const LIMIT = '(to compare with)';

async function measure(calls: readonly Measured[]): Promise<CallRow[]> {
	const micros = new Map<string, number[]>(calls.map(({ name }) => [name, []]));
	let failures = 0;
	for (const call of calls) await load(call, WARM_SECONDS);
	for (let n = 0; n < RUNS; n++) {
		for (const call of calls) {
			const before = readProcess(call.pid).processorSeconds;
			const result = await load(call, SECONDS);
			const seconds = readProcess(call.pid).processorSeconds - before;
			failures += result.failures;
			micros.get(call.name)!.push((seconds * 1e6) / (result.requestsPerSecond * SECONDS));
		}
	}
	if (failures > 0) throw new Error(`${failures} calls failed`);
	return calls.map(({ name, what, beside, target, goal }): CallRow => {
		const own = micros.get(name)!;
		const time = figure(`budget/${name}/processor time`, 'µs', own, beside ? {} : { larger: 'neither' });
		const told = `${median(own).toFixed(0)} µs of the processor`;
		const row = { name, beside, micros: time.value, what, target };
		if (!beside) return { ...row, result: told, figures: [time] };
		const times = own.map((value, n) => value / micros.get(beside)![n]);
		const share = figure(`budget/${name}/times bare route`, 'times', times, { larger: 'worse', ...goal });
		return { ...row, result: `${told}: ${share.value.toFixed(1)} times the bare route`, figures: [time, share] };
	});
}

function load({ task }: Measured, seconds: number): Promise<RelayLoadResult> {
	return relayLoad({ ...task, connections: CONNECTIONS, seconds });
}

async function startBareRoute(): Promise<{ url: string; pid: number; stop(): void }> {
	const port = await freePort();
	const child = spawn(process.execPath, [BARE, String(port)], { stdio: 'inherit' });
	await once(child, 'spawn');
	const url = `http://127.0.0.1:${port}`;
	while (!(await fetch(url).then(Boolean, () => false))) await sleep(50);
	return { url, pid: child.pid!, stop: () => void child.kill() };
}
