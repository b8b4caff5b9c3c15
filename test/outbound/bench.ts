// Processor time of a call over kept-alive connections, against undici bare: `node test/outbound/bench.ts [calls]`.
// The server runs in a process of its own, so that only the caller's time is counted.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Pool, request } from 'undici';
import { outgoingHeaders } from '../../src/outbound/headers.ts';
import { openOutboundClient } from '../../src/outbound/http-client.ts';

const REQUEST = Buffer.from(JSON.stringify({ card: '4111111111111111', note: 'x'.repeat(400) }));
const ANSWER = JSON.stringify({ ok: true, note: 'y'.repeat(800) });
const HEADERS = ['content-type', 'application/json', 'accept', 'application/json', 'user-agent', 'bench'];
const PACKED = gzipSync(ANSWER);
const INCOMING = {
	...{
		host: 'vault.example',
		'user-agent': 'bench',
		accept: '*/*',
		'content-type': 'application/json',
		'content-length': '450',
	},
	...{
		authorization: 'APIKEY x',
		'x-service-carduri': 'https://vault.example/api/payments/paycard/0',
		connection: 'keep-alive',
	},
	...{ 'x-service-target-authorization': 'Bearer y', 'accept-encoding': 'gzip', 'idempotency-key': 'k' },
};
const AT_ONCE = 16;
const ROUNDS = 5;

if (process.send !== undefined) serve();
else await measure(Number(process.argv[2] ?? 20_000));

function serve(): void {
	const server = createServer((incoming, reply) => {
		incoming.resume().on('end', () => {
			reply.setHeader('content-type', 'application/json');
			if (incoming.url === '/gzip') reply.setHeader('content-encoding', 'gzip').end(PACKED);
			else reply.end(ANSWER);
		});
	});
	server.keepAliveTimeout = 60_000;
	server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
	process.on('disconnect', () => process.exit());
}

async function measure(calls: number): Promise<void> {
	const server = fork(import.meta.filename);
	const [port] = (await once(server, 'message')) as [number];
	const url = new URL(`http://127.0.0.1:${port}/v1/pay?x=1`);
	const pool = new Pool(url.origin, { connections: AT_ONCE });
	const client = openOutboundClient({ allowPrivate: true, maxInFlight: 1000 });
	const path = url.pathname + url.search;

	const packed = new URL('/gzip', url);
	const callWith = (headers: string[], to: URL) =>
		client.call({
			url: to,
			method: 'POST',
			headers,
			body: REQUEST,
			deadlineAt: performance.now() + 29_000,
			maxAnswerBytes: 1_000_000,
		});

	const ways: Record<string, () => Promise<unknown>> = {
		'undici dispatch': () =>
			new Promise<void>((resolve, reject) => {
				const pieces: Buffer[] = [];
				pool.dispatch(
					{ path, method: 'POST', headers: HEADERS, body: REQUEST },
					{
						onRequestStart() {},
						onResponseStart() {},
						onResponseData: (_controller, piece) => void pieces.push(piece),
						onResponseEnd: () => resolve(),
						onResponseError: (_controller, error) => reject(error),
					},
				);
			}),
		'undici request': async () => {
			const { body } = await request(url, { dispatcher: pool, method: 'POST', headers: HEADERS, body: REQUEST });
			return body.arrayBuffer();
		},
		'outbound client': () => callWith(HEADERS, url),
		'with headers made': () => callWith(outgoingHeaders(INCOMING), url),
		'and gzip undone': () => callWith(outgoingHeaders(INCOMING), packed),
	};
	const best = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
	for (let round = 0; round <= ROUNDS; round++) {
		for (const [name, way] of Object.entries(ways)) {
			const micros = await timeOf(way, calls);
			if (round > 0) best.get(name)!.push(micros);
		}
	}
	for (const [name, times] of best) {
		const sorted = times.toSorted((a, b) => a - b);
		console.log(
			`${name.padEnd(18)} median ${sorted[ROUNDS >> 1].toFixed(1)} µs  (${sorted[0].toFixed(1)} – ${sorted.at(-1)!.toFixed(1)})`,
		);
	}
	await client.close();
	await pool.close();
	server.disconnect();
}

/** Processor time per call in microseconds. */
async function timeOf(way: () => Promise<unknown>, calls: number): Promise<number> {
	const before = process.cpuUsage();
	let left = calls;
	const caller = async () => {
		while (left-- > 0) await way();
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
	const { user, system } = process.cpuUsage(before);
	return (user + system) / calls;
}
