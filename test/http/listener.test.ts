// Tests what only a real connection shows: clients that are slow, speak no HTTP, or stay too long.

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { buildApp } from '../../src/doors/http/app.ts';
import { defaultServerLimits, type ServerLimits } from '../../src/doors/http/server/limits.ts';
import { addProbes } from '../helpers/http-probes.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';
import { until } from '../helpers/until.ts';

async function listen(t: ExecutionContext, limits: Partial<ServerLimits> = {}, requestTimeoutMs = 10_000) {
	const rooms = await openHttpRooms(t, 'sqlite', { settings: { requestTimeoutMs } });
	const caller = await rooms.createCaller('agency');
	const app = await buildApp(rooms, { limits: { ...defaultServerLimits, ...limits } });
	t.teardown(() => app.close());
	addProbes(app);
	await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as { port: number };
	/** Sends pieces as they are, and returns what came until the other side closed the connection. */
	const converse = (...pieces: string[]) =>
		new Promise<string>((resolve, reject) => {
			let text = '';
			const socket = connect(port, '127.0.0.1', () => pieces.forEach((piece) => void socket.write(piece)));
			socket.on('data', (chunk) => (text += chunk));
			socket.on('close', () => resolve(text));
			socket.on('error', (error: NodeJS.ErrnoException) =>
				error.code === 'ECONNRESET' ? resolve(text) : reject(error),
			);
			t.teardown(() => void socket.destroy());
		});
	const head = (length: number) =>
		`POST /probe HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${caller.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n`;
	return { app, port, converse, head, caller, rooms };
}

test('two hosts, or a foreign one in the address, are refused', async (t) => {
	const { converse } = await listen(t);
	const status = async (target: string, ...hosts: string[]) => {
		const lines = [`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''];
		return (await converse(lines.join('\r\n'))).slice(9, 12);
	};
	const known = await status('/api', 'vault.example');
	t.is(known, '200');
	t.is(await status('/api', 'vault.example', 'evil.example'), '400');
	t.is(await status('/api', 'vault.example', 'vault.example'), '400');
	for (const target of [
		'http://evil.example/api',
		'https://evil.example/api',
		'http://vault.example:1/api',
		'ftp://vault.example/api',
		'evil.example/api',
	])
		t.is(await status(target, 'vault.example'), '400', target);
	t.not(await status('http://vault.example/api', 'vault.example'), '400');
});

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
	const { port, caller, rooms } = await listen(t);
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
	await until('the access log has one of them', () => rooms.logText().includes('"http request"'));
	await setTimeout(200);
	t.notRegex(rooms.logText(), /"level":"error"|database-unavailable/);
});

test('a caller that hangs up before the answer is still in the access log, with name and outcome', async (t) => {
	const { port, caller, rooms } = await listen(t);
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
		rooms
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

test('bytes that are not HTTP get an empty answer with a request id, and then the connection ends', async (t) => {
	const { converse } = await listen(t);
	for (const text of [
		'hello\r\n\r\n',
		'GET /probe HTTP/1.1\r\nbad header\r\n\r\n',
		`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
	]) {
		const answered = await converse(text);
		t.regex(
			answered,
			/^HTTP\/1\.1 4\d\d [^\r]+\r\nx-request-id: [0-9a-f-]{36}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n$/,
		);
	}
});

test('requests that Node would answer by itself get a request id too', async (t) => {
	const { converse } = await listen(t);
	const closing = 'connection: close\r\n\r\n';
	const expecting = await converse(`GET /api HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n${closing}`);
	t.regex(expecting, /^HTTP\/1\.1 417 /);
	const nowhere = await converse(`GET /api HTTP/1.1\r\naccept: application/json\r\n${closing}`);
	t.regex(nowhere, /^HTTP\/1\.1 400 [\s\S]*"moreInfo":"Host: is required"/);
	const fragment = await converse(
		`GET /api#sessionToken=x HTTP/1.1\r\nhost: x\r\naccept: application/json\r\n${closing}`,
	);
	t.regex(fragment, /^HTTP\/1\.1 400 [\s\S]*"moreInfo":"address: must not contain a fragment"/);
	for (const answered of [expecting, nowhere, fragment]) t.regex(answered, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
	t.regex(await converse(`GET /api HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /);
});

test('connections beyond the limit are not taken', async (t) => {
	const { converse, port } = await listen(t, { maxConnections: 1 });
	const first = connect(port, '127.0.0.1');
	t.teardown(() => void first.destroy());
	await new Promise((resolve) => first.once('connect', resolve));
	t.is(await converse('GET /api HTTP/1.1\r\nhost: x\r\n\r\n'), '');
});

test('a refused login answers without waiting for the body', async (t) => {
	const { converse } = await listen(t, { idleTimeoutMs: 1_000 });
	const answered = await converse(
		'POST /probe HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1000000\r\n\r\n{',
	);
	t.regex(answered, /^HTTP\/1\.1 401 /);
});
