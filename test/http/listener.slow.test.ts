// Those tests of listener.test.ts that take long.

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { until } from '../helpers/until.ts';
import { listen } from './listener.setup.ts';

test('every limit of the server is set', async (t) => {
	const { app } = await listen(t);
	const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections } = app.server;
	t.deepEqual(
		{ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxConnections },
		{ headersTimeout: 20_000, requestTimeout: 0, keepAliveTimeout: 75_000, timeout: 120_000, maxConnections: 10_000 },
	);
});

test('a body that dribbles in is cut off', async (t) => {
	const { converse, head } = await listen(t, {}, 300);
	const start = performance.now();
	await converse(`${head(100)}\r\n{"Na`);
	t.true(performance.now() - start < 5_000);
});

test('a caller that goes away in the middle of a body is no outage of the database', async (t) => {
	const { port, caller, parts } = await listen(t);
	const calls = [
		['/api/payments/paycard', 'content-type: application/json\r\n'],
		['/api/payments/paycard', 'content-type: application/json\r\nidempotency-key: a\r\n'],
		['/api/payments/paycard/relay', 'content-type: text/plain\r\n'],
		['/api/files/tokenize?filter=SIMPLECSV', ''],
		['/api/files/tokenize?filter=SIMPLECSV&async=true', ''],
		['/api/files/tokenize?filter=SIMPLECSV&async=true', 'idempotency-key: b\r\n'],
		['/api/payments/paycard/batch', 'content-type: application/json\r\n'],
	];
	for (const [path, more] of calls) {
		const socket = connect(port, '127.0.0.1');
		t.teardown(() => void socket.destroy());
		socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${caller.apiKey}\r\n${more}`);
		socket.write('content-length: 100\r\n\r\n[{');
		await setTimeout(100);
		socket.destroy();
	}
	await until('the access log has one of them', () => parts.logText().includes('"http request"'));
	await setTimeout(200);
	t.notRegex(parts.logText(), /"level":"error"|database-unavailable/);
});

test('a caller that hangs up before the answer is still in the access log, with name and outcome', async (t) => {
	const { port, caller, parts } = await listen(t);
	const calls = [
		['GET /api/payments/paycard/meta', caller.apiKey, 200],
		['GET /api/payments/paycard/meta?format=csv', caller.apiKey, 200],
		['DELETE /api/payments/paycard/0123456789abcdef0123456789abcdef', caller.apiKey, 404],
		['GET /api/payments/paycard/meta', 'wrong', 401],
		['GET /nowhere', 'wrong', 404],
	] as const;
	for (const [line, key] of calls) {
		const socket = connect(port, '127.0.0.1');
		const isWritten = Promise.withResolvers<void>();
		socket.write(`${line} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\n\r\n`, () => isWritten.resolve());
		await isWritten.promise;
		socket.resetAndDestroy();
	}
	const lines = () =>
		parts
			.logText()
			.split('\n')
			.filter((text) => text.includes('"http request"'))
			.map((text) => JSON.parse(text) as { status: number; user?: string });
	await until('the access log has them', () => lines().length >= calls.length);
	await setTimeout(100);
	t.deepEqual(
		lines()
			.map(({ status, user }) => `${status} ${user}`)
			.sort(),
		calls.map(([, key, status]) => `${status} ${key === 'wrong' ? undefined : 'agency'}`).sort(),
	);
});

test('a head that never ends is cut off', async (t) => {
	const { converse, head } = await listen(t, { idleTimeoutMs: 300 });
	const start = performance.now();
	await converse(head(100));
	t.true(performance.now() - start < 5_000);
});

test('a refused login answers without waiting for the body', async (t) => {
	const { converse } = await listen(t, { idleTimeoutMs: 1_000 });
	const answered = await converse(
		'POST /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1000000\r\n\r\n{',
	);
	t.regex(answered, /^HTTP\/1\.1 401 /);
});
