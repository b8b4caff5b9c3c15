// Tests attacks that last: on time, on memory and on connections that are kept, each against a real server.

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { blackhole, closes, fails, httpServer, openTestClient, rawServer } from '../helpers/outbound-servers.ts';

const TOO_LARGE = 'targetUri: the answer is too large';
const CLOSED = 'targetUri: the connection was closed before the answer was complete';
const OK = 'HTTP/1.1 200 OK\r\n';

// The first tests are about attacks on time.

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';

const timesOut = test.macro({
	async exec(t, drip: (socket: import('node:net').Socket) => void) {
		const server = await rawServer(t, (socket) => socket.once('data', () => drip(socket)));
		const { client, call } = openTestClient(t);
		const begin = performance.now();
		await fails(t, call(`http://slow.example:${server.port}/`, { timeoutMs: 400 }), 'request-timed-out');
		const tookMs = performance.now() - begin;
		t.true(tookMs >= 390 && tookMs < 10_000, `${tookMs} ms`);
		t.is(client.inFlight, 0);
		await closes(t, server);
	},
	title: (what = '') => `slow-loris: ${what} ends at the deadline and its connection is closed`,
});

function drip(socket: import('node:net').Socket, text: string): void {
	let index = 0;
	const timer = setInterval(() => socket.write(text[index++ % text.length]), 20);
	socket.on('close', () => clearInterval(timer));
}

test('no answer at all', timesOut, () => {});
test('headers that drip in', timesOut, (socket) => {
	socket.write('HTTP/1.1 200 OK\r\nx-');
	drip(socket, 'a');
});
test('a body that drips in', timesOut, (socket) => {
	socket.write(HEAD);
	drip(socket, 'a');
});
test('chunks that drip in', timesOut, (socket) => {
	socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
	drip(socket, '1\r\na\r\n');
});
test('interim answers that drip in', timesOut, (socket) => {
	drip(socket, `HTTP/1.1 102 Processing\r\nx: ${'y'.repeat(500)}\r\n\r\n`);
});

test('a name server that never answers: the call ends at the deadline', async (t) => {
	const { call } = openTestClient(t, { lookup: () => new Promise(() => {}) });
	await fails(t, call('http://nowhere.example/', { timeoutMs: 200 }), 'request-timed-out');
});

test('a connection that is never made ends at the deadline, or goes to the next address of the name', async (t) => {
	const port = await blackhole(t);
	const { call } = openTestClient(t);
	await fails(t, call(`http://nowhere.example:${port}/`, { timeoutMs: 300 }), 'request-timed-out');

	const server = await httpServer(t, (_request, reply) => reply.end('second'), '127.0.0.2', port);
	const lookup = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 as const }));
	const both = openTestClient(t, { lookup });
	t.is((await both.call(`http://nowhere.example:${server.port}/`)).body.toString(), 'second');
});

test('a TLS handshake that is never answered ends at the deadline', async (t) => {
	const server = await rawServer(t, (socket) => socket.resume());
	const { call } = openTestClient(t);
	await fails(t, call(`https://slow.example:${server.port}/`, { timeoutMs: 300 }), 'request-timed-out');
	await closes(t, server);
});

test('1,000 calls to a target that never answers all end at the deadline, in little memory, and disturb nobody', async (t) => {
	const hanging = await rawServer(t, (socket) => socket.resume());
	const answering = await httpServer(t, (_request, reply) => reply.end('fine'));
	const { client, call } = openTestClient(t, { maxInFlight: 1100 });
	await call(`http://other.example:${answering.port}/`);
	global.gc?.();
	const before = process.memoryUsage().rss;
	const ends = Array.from({ length: 1000 }, () =>
		call(`http://hangs.example:${hanging.port}/`, { timeoutMs: 2500 }).catch((error) => error.reason),
	);
	t.is(client.inFlight, 1000);
	await delay(1000);
	for (let index = 0; index < 20; index++) {
		const begin = performance.now();
		t.is((await call(`http://other.example:${answering.port}/`)).body.toString(), 'fine');
		t.true(performance.now() - begin < 2000);
	}
	const grownMb = (process.memoryUsage().rss - before) / 1_048_576;
	t.deepEqual(new Set(await Promise.all(ends)), new Set(['request-timed-out']));
	t.is(client.inFlight, 0);
	t.log(`grew by ${grownMb.toFixed(0)} MB, servers included`);
	t.true(grownMb < 150);
	await closes(t, hanging);
});

test('one call more than may be under way is refused at once and may be repeated', async (t) => {
	const server = await rawServer(t, (socket) => socket.resume());
	const { call } = openTestClient(t, { maxInFlight: 2 });
	const url = `http://hangs.example:${server.port}/`;
	const held = [call(url, { timeoutMs: 300 }), call(url, { timeoutMs: 300 })];
	const error = await t.throwsAsync(call(url), { instanceOf: ServiceError });
	t.is(error.reason, 'too-many-calls');
	t.is(error.status, 503);
	t.true(error.retryable);
	await Promise.allSettled(held);
});

// The next tests are about attacks on memory.

test('an endless body ends with 502 at the cap', async (t) => {
	let sent = 0;
	const server = await rawServer(t, (socket) => {
		const piece = Buffer.alloc(65_536);
		const pour = () => {
			while (!socket.destroyed) {
				sent += piece.length;
				if (!socket.write(piece)) return;
			}
		};
		socket.once('data', () => {
			socket.write(`${OK}\r\n`);
			pour();
		});
		socket.on('drain', pour);
	});
	const { call } = openTestClient(t);
	await fails(t, call(`http://evil.example:${server.port}/`), 'target-unreachable', TOO_LARGE);
	t.true(sent < 16 * 1_048_576, `${sent} bytes were poured out`);
});

test('many large answers at one time hold no more memory than they may together', async (t) => {
	const server = await rawServer(t, (socket) =>
		socket.once('data', () => socket.write(Buffer.concat([Buffer.from(HEAD), Buffer.alloc(200_000)]))),
	);
	const { client, call } = openTestClient(t, { maxHeldBytes: 1_000_000 });
	const calls = Array.from({ length: 10 }, () => call(`http://evil.example:${server.port}/`, { timeoutMs: 3000 }));
	const reasons = (await Promise.allSettled(calls)).map((end) => (end as PromiseRejectedResult).reason.reason);
	t.is(reasons.filter((reason) => reason === 'target-unreachable').length, 5);
	t.is(reasons.filter((reason) => reason === 'request-timed-out').length, 5);
	t.is(client.inFlight, 0);
});

// The last tests are about connections that are kept.

test('a call never goes twice: a connection closed after the request arrived ends with 502', async (t) => {
	let requests = 0;
	const server = await rawServer(t, (socket) =>
		socket.on('data', () => {
			requests++;
			if (requests === 1) socket.write(`${OK}content-length: 0\r\n\r\n`);
			else socket.destroy();
		}),
	);
	const { call } = openTestClient(t);
	const url = `http://partner.example:${server.port}/`;
	await call(url);
	await fails(t, call(url), 'target-unreachable', CLOSED);
	await delay(100);
	t.is(requests, 2);
	t.is(server.connections, 1);
});

test('a connection the server closed between two calls costs nothing: the call goes out once, over a new one', async (t) => {
	let requests = 0;
	const server = await rawServer(t, (socket) =>
		socket.on('data', () => {
			requests++;
			socket.write(`${OK}content-length: 2\r\n\r\nok`);
			setTimeout(() => socket.end(), 20);
		}),
	);
	const { call } = openTestClient(t);
	for (let index = 0; index < 5; index++) {
		t.is((await call(`http://partner.example:${server.port}/`)).body.toString(), 'ok');
		await delay(60);
	}
	t.is(requests, 5);
	t.is(server.connections, 5);
});
