// Measures a thousand relays that hang at a target which never answers, while other relays go on beside them.

import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningDaemon } from '../test/helpers/daemon.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { residentMb } from './process-usage.ts';
import { jsonBody } from './relay-bodies.ts';
import type { BenchRow } from './table.ts';

const HANGING = amount('BENCH_HANGING', 1000);
/** The time after which all of the relays hang. */
const HANGING_AFTER_MS = 3_000;
/** The deadline of the relays: once all of them hang, others go on beside them for as long as a load lasts. */
const TIMEOUT_MS = HANGING_AFTER_MS + 1000 * amount('BENCH_SECONDS', 7);

export interface HangingResult {
	readonly status: number;
	readonly ms: number;
}

/** Checks that all hanging relays end at the deadline, and meanwhile watches the memory and the other relays. */
export async function hangingRow(
	{ url, apiKey, tokens }: { readonly url: string; readonly apiKey: string; readonly tokens: readonly string[] },
	targetUrl: string,
	{ pid }: Pick<RunningDaemon, 'pid'>,
): Promise<BenchRow> {
	const silent = createServer((socket) => void socket.on('error', () => {}).resume());
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
	const agent = new Agent({ keepAlive: true, maxSockets: HANGING + 16 });
	const call = (targetUri: string, nth: number) =>
		relayOnce(agent, url, { apiKey, targetUri, token: tokens[nth % tokens.length] });
	const hanging = Promise.all(Array.from({ length: HANGING }, (_, n) => call(silentUrl, n)));
	let peak = 0;
	let isOver = false;
	const others: HangingResult[] = [];
	const watch = (async () => {
		while (!isOver) {
			peak = Math.max(peak, residentMb(pid));
			await sleep(100);
		}
	})();
	const beside = (async () => {
		await sleep(HANGING_AFTER_MS);
		while (!isOver) others.push(await call(`${targetUrl}/book`, others.length));
	})();
	const results = await hanging;
	isOver = true;
	await Promise.all([watch, beside]);
	agent.destroy();
	silent.close();
	const ended = results.filter(({ status, ms }) => status === 504 && ms > TIMEOUT_MS - 100 && ms < TIMEOUT_MS + 2000);
	const times = others.map(({ ms }) => ms).sort((a, b) => a - b);
	const good = others.filter(({ status }) => status === 200).length;
	const lastSeconds = Math.max(...results.map(({ ms }) => ms)) / 1000;
	const p99Ms = times[Math.floor(times.length * 0.99)];
	return {
		what: `${HANGING} relays hanging at a target that never answers`,
		result: `${ended.length} ended with 504 at the deadline of ${TIMEOUT_MS / 1000} s (last after ${lastSeconds.toFixed(1)} s), memory ${peak.toFixed(0)} MB, ${good} of ${others.length} others fine, p99 ${p99Ms.toFixed(1)} ms`,
		target: 'all at the deadline, under 300 MB, others undisturbed',
		figures: [
			figure('relay/hanging/not ended at the deadline', 'count', HANGING - ended.length, { must: 0 }),
			figure('relay/hanging/last', 's', lastSeconds),
			figure('relay/hanging/memory', 'MB', peak, { must: 300 }),
			figure('relay/hanging/others failed', 'count', others.length - good, { must: 0 }),
			figure('relay/hanging/others p99', 'ms', p99Ms),
		],
	};
}

function relayOnce(
	agent: Agent,
	url: string,
	{ apiKey, targetUri, token }: { apiKey: string; targetUri: string; token: string },
): Promise<HangingResult> {
	const query = new URLSearchParams({
		profileName: 'BenchJson',
		targetUri,
		cardToken: token,
		timeout: String(TIMEOUT_MS),
	});
	const headers = { 'x-service-api-key': apiKey, 'content-type': 'application/json' };
	const started = performance.now();
	return new Promise((resolve, reject) => {
		const sent = request(`${url}/api/payments/paycard/relay?${query}`, { agent, method: 'POST', headers }, (answer) => {
			answer.resume().once('end', () => resolve({ status: answer.statusCode!, ms: performance.now() - started }));
		});
		sent.once('error', reject).end(jsonBody(''));
	});
}
