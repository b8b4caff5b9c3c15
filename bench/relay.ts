// Measures relay and capture beside the programs that one could run instead. The target, nginx, mitmproxy, the daemon and
// the load are all on this machine, so only ratios count.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningDaemon } from '../test/helpers/daemon.ts';
import { amount, runs } from './amounts.ts';
import { type Figure, figure, median } from './figures.ts';
import { cardNumber } from './generate.ts';
import { hangingRow } from './hanging-relays.ts';
import { loadRow, relayLoad } from './loads.ts';
import { missingRow } from './missing.ts';
import { openProxies, type Proxies } from './proxies.ts';
import { CAPTURE_PROFILE, JSON_PROFILE, jsonBody, jsonReservations, SOAP_PROFILE, soapBody } from './relay-bodies.ts';
import { type Caller, plainToken, relayTask, storeCards, TOKENS } from './relay-calls.ts';
import type { RelayLoad, RelayLoadResult } from './relay-load.ts';
import type { BenchRow } from './table.ts';
import { withDaemon } from './with-daemon.ts';

const SECONDS = amount('BENCH_SECONDS', 6);
const RUNS = runs(3);
const CAPTURE_CARDS = 1000;
const CAPTURES = 15;
const WARM_UP = 25;

/**
 * These headers ask for an answer that is not compressed, because compressing a megabyte would take longer than finding its
 * cards.
 */
const UNPACKED = { 'accept-encoding': 'identity' };

/** Returns every row of relay and capture. */
export async function relayRows(folder: string): Promise<BenchRow[]> {
	const cards = Object.fromEntries(Array.from({ length: TOKENS }, (_, n) => [plainToken(n), cardNumber(n)]));
	const proxies = await openProxies(folder, cards);
	const withCaller = <T>(measure: (caller: Caller, daemon: RunningDaemon) => Promise<T>) =>
		withDaemon({ TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' }, async (url, account, { json }, daemon) => {
			for (const write of [JSON_PROFILE, SOAP_PROFILE, CAPTURE_PROFILE]) {
				await json('profile', 'put', '--user-id', account.userId, '--file', write(folder));
			}
			return measure({ url, apiKey: account.apiKey, tokens: await storeCards(url, account.apiKey) }, daemon);
		});
	try {
		const rows = await withCaller(async (caller) => [
			...(await rateRows('JSON', 'BenchJson', jsonBody, 'application/json', proxies, caller)),
			...(await rateRows('SOAP', 'BenchSoap', soapBody, 'text/xml; charset=utf-8', proxies, caller)),
			...(await latencyRows(proxies, caller)),
			await captureRow(caller),
		]);
		// Hanging relays have a daemon that has done nothing else, so that its memory is not that of what it answered before.
		return [...rows, await withCaller((caller, daemon) => hangingRow(caller, proxies.targetUrl, daemon))];
	} finally {
		await proxies.close();
	}
}

async function rateRows(
	name: string,
	profile: string,
	bodyOf: (token: string) => string,
	contentType: string,
	{ targetUrl, targetProgram, others }: Proxies,
	caller: Caller,
): Promise<BenchRow[]> {
	const headers = { 'content-type': contentType };
	const plain = { paths: ['/book'], headers, body: bodyOf(plainToken(1)), connections: 64 };
	const rows: BenchRow[] = [];
	const shares: string[] = [];
	const compared: Figure[] = [];
	const rates: (readonly [kind: (typeof KINDS)[number], rate: number])[] = [];
	for (const kind of KINDS) {
		const what = `${kind.what}, 2 KB ${name}, 64 connections`;
		const url = others[kind.name];
		if (url === undefined) {
			rows.push(missingRow(what, [kind.program], '(to compare with)'));
			continue;
		}
		const results = await load({ ...plain, url });
		rows.push(loadRow(what, `relay/${name}/${kind.name}`, results, LIMIT));
		rates.push([kind, middle(results, 'requestsPerSecond')]);
	}
	const ours = await load({ ...relayTask(caller, profile, targetUrl, headers, bodyOf('')), connections: 64 });
	for (const [kind, other] of rates) {
		const share = middle(ours, 'requestsPerSecond') / other;
		shares.push(`${share.toFixed(kind.decimals)} ${kind.word} ${kind.name}`);
		compared.push(figure(`relay/${name}/${kind.word} ${kind.name}`, 'times', share, kind.goal));
	}
	const beside = besideOf(targetProgram);
	const row = loadRow(`relay, 2 KB ${name}, one token${beside}`, `relay/${name}/ours${beside}`, ours, {
		target: '0.2 of nginx (0.4), 8 times mitmproxy (20)',
	});
	const result = [row.result, ...(shares.length > 0 ? [shares.join(', ')] : [])].join(': ');
	return [...rows, { ...row, result, figures: [...row.figures, ...compared] }];
}

const NEITHER = { larger: 'neither' } as const;
const LIMIT = { target: '(to compare with)', rate: NEITHER, p99: NEITHER, failures: NEITHER };

/** The programs that relay is compared with. */
const KINDS = [
	{
		name: 'nginx',
		program: 'nginx',
		what: 'nginx proxy_pass',
		word: 'of',
		decimals: 2,
		goal: { must: 0.2, aim: 0.4 },
	},
	{
		name: 'mitmproxy',
		program: 'mitmdump',
		what: 'mitmproxy with a script',
		word: 'times',
		decimals: 1,
		goal: { must: 8, aim: 20 },
	},
] as const;

/**
 * Returns words for names of figures that say who serves the target, because a target that takes more of the machine makes
 * other figures.
 */
function besideOf(targetProgram: Proxies['targetProgram']): string {
	return targetProgram === 'nginx' ? '' : `, target in ${targetProgram}`;
}

async function latencyRows({ targetUrl, targetProgram }: Proxies, caller: Caller): Promise<BenchRow[]> {
	const headers = { 'content-type': 'application/json' };
	const timed = { connections: 8, isTimed: true } as const;
	const body = jsonBody(plainToken(1));
	const direct = await load({ url: targetUrl, paths: ['/book'], headers, body, ...timed });
	const ours = await load({ ...relayTask(caller, 'BenchJson', targetUrl, headers, jsonBody('')), ...timed });
	const added = (key: 'p50Ms' | 'p99Ms') => middle(ours, key) - middle(direct, key);
	const [p50, p99] = [added('p50Ms'), added('p99Ms')];
	return [
		{
			what: `latency added by relay at 8 connections${besideOf(targetProgram)}`,
			result: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms${failed(ours)}`,
			target: 'p50 1 ms, p99 5 ms (0.3 ms, 2 ms)',
			figures: [
				figure(`relay/latency added/p50${besideOf(targetProgram)}`, 'ms', p50, { must: 1, aim: 0.3 }),
				figure(`relay/latency added/p99${besideOf(targetProgram)}`, 'ms', p99, { must: 5, aim: 2 }),
			],
		},
	];
}

/**
 * Measures what capture adds to a call. The target answers a megabyte with a thousand cards, and is called directly and
 * through capture in turn.
 */
async function captureRow({ url, apiKey }: Caller): Promise<BenchRow> {
	const answer = jsonReservations(CAPTURE_CARDS, 1_000_000);
	const target = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
	});
	await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
	const targetUri = `http://127.0.0.1:${(target.address() as AddressInfo).port}/reservations`;
	const query = new URLSearchParams({ profileName: 'BenchCapture', targetUri, httpMethod: 'GET' });
	const direct: number[] = [];
	const captured: number[] = [];
	for (let n = -WARM_UP; n < CAPTURES; n++) {
		if (n === 0) direct.length = captured.length = 0;
		direct.push(await timeOf(() => fetch(targetUri, { headers: UNPACKED })));
		captured.push(
			await timeOf(async () => {
				const headers = { ...UNPACKED, 'x-service-api-key': apiKey };
				const response = await fetch(`${url}/api/payments/paycard/capture?${query}`, { method: 'POST', headers });
				if (response.status !== 200) throw new Error(`capture answered ${response.status}`);
				return response;
			}),
		);
	}
	target.closeAllConnections();
	target.close();
	const added = median(captured) - median(direct);
	return {
		what: `capture of a 1 MB answer with ${CAPTURE_CARDS} cards`,
		result: `${added.toFixed(1)} ms added`,
		target: '30 ms added (10 ms)',
		figures: [figure('relay/capture added', 'ms', added, { must: 30, aim: 10 })],
	};
}

async function timeOf(call: () => Promise<Response>): Promise<number> {
	const started = performance.now();
	await (await call()).arrayBuffer();
	return performance.now() - started;
}

async function load(task: Omit<RelayLoad, 'seconds'>): Promise<RelayLoadResult[]> {
	const results: RelayLoadResult[] = [];
	for (let n = 0; n < RUNS; n++) {
		results.push(await relayLoad({ ...task, seconds: SECONDS }));
	}
	return results;
}

function middle(results: readonly RelayLoadResult[], key: keyof RelayLoadResult): number {
	return median(results.map((result) => result[key]));
}

function failed(results: readonly RelayLoadResult[]): string {
	const failures = middle(results, 'failures');
	return failures > 0 ? `, ${failures} FAILED` : '';
}
