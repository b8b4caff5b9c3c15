import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { bytesServer, httpServer, loopback, openTestClient, rawServer, readBody } from '../helpers/outbound-servers.ts';
import { until } from '../helpers/until.ts';

test('a call goes out as given, and the answer comes back with what may be passed on', async (t) => {
	const server = await httpServer(t, async (request, reply) => {
		const seen = {
			...request.headers,
			method: request.method,
			url: request.url,
			body: String(await readBody(request)),
		};
		reply.writeHead(201, [
			...['Content-Type', 'application/json', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Partner', 'yes'],
			...['Strict-Transport-Security', 'max-age=1', 'Connection', 'keep-alive, x-hop', 'X-Hop', '1'],
		]);
		reply.end(JSON.stringify(seen));
	});
	const { call } = openTestClient(t);
	const url = `http://Partner.Example.:${server.port}/a%20b?c=d#fragment`;
	const answer = await call(url, {
		method: 'PUT',
		headers: ['Content-Type', 'text/xml', 'X-A', '1', 'x-a', '2'],
		body: Buffer.from('<a/>'),
	});
	t.is(answer.status, 201);
	t.deepEqual(answer.headers, [
		['content-type', 'application/json'],
		['x-service-target-set-cookie', 'a=1'],
		['x-service-target-set-cookie', 'b=2'],
		['x-partner', 'yes'],
	]);
	t.deepEqual(JSON.parse(String(answer.body)), {
		...{ host: `partner.example:${server.port}`, connection: 'keep-alive', 'content-type': 'text/xml', 'x-a': '1, 2' },
		...{ 'content-length': '4', method: 'PUT', url: '/a%20b?c=d', body: '<a/>' },
	});
});

const withoutBody = test.macro({
	async exec(t, method: string, status: number, body: Buffer | null) {
		const server = await httpServer(t, async (request, reply) => {
			reply.setHeader('x-got', `${(await readBody(request)).length}`);
			reply.setHeader('x-length', request.headers['content-length'] ?? 'none');
			if (method === 'HEAD') reply.setHeader('content-length', 5_000_000).setHeader('content-encoding', 'gzip');
			reply.writeHead(status).end();
		});
		const { call } = openTestClient(t);
		for (let index = 0; index < 2; index++) {
			const answer = await call(`http://partner.example:${server.port}/`, { method, body, headers: [] });
			const headers = new Map(answer.headers);
			t.is(answer.status, status);
			t.is(answer.body.length, 0);
			t.is(headers.get('x-got'), `${body?.length ?? 0}`);
			t.is(headers.get('x-length') === 'none', !body && ['GET', 'HEAD'].includes(method));
		}
	},
	title: (_, method, status, body) => `${method} with ${body ? 'a' : 'no'} body, answered ${status} without one`,
});

test(withoutBody, 'HEAD', 200, null);
test(withoutBody, 'GET', 204, null);
test(withoutBody, 'GET', 304, null);
test(withoutBody, 'GET', 200, Buffer.from('a body'));
test(withoutBody, 'DELETE', 204, Buffer.from('a body'));
test(withoutBody, 'POST', 204, null);
test(withoutBody, 'PATCH', 200, Buffer.from('a body'));

const packing = test.macro({
	async exec(t, encoding: string, body: Buffer, expected: Buffer) {
		const server = await httpServer(t, (_request, reply) => {
			reply.setHeader('content-encoding', encoding);
			reply.end(body);
		});
		const { call } = openTestClient(t);
		const answer = await call(`http://partner.example:${server.port}/`, { maxAnswerBytes: 8_000_000 });
		t.true(answer.body.equals(expected));
		t.is(new Map(answer.headers).get('content-encoding'), undefined);
	},
	title: (what = '', encoding) => `an answer is unpacked: ${encoding}${what}`,
});

const TEXT = Buffer.from('the answer '.repeat(50));
const LARGE = Buffer.from(Array.from({ length: 400_000 }, (_, index) => `${index * 7919}`).join(','));
test(packing, 'gzip', gzipSync(TEXT), TEXT);
test(packing, 'X-GZIP', gzipSync(TEXT), TEXT);
test(packing, 'deflate', deflateSync(TEXT), TEXT);
test(' without zlib’s wrapping', packing, 'deflate', deflateRawSync(TEXT), TEXT);
test(packing, 'br', brotliCompressSync(TEXT), TEXT);
test(packing, 'zstd', zstdCompressSync(TEXT), TEXT);
test(packing, 'gzip, br', brotliCompressSync(gzipSync(TEXT)), TEXT);
test(packing, 'identity', TEXT, TEXT);
test(', large', packing, 'gzip', gzipSync(LARGE), LARGE);
test(
	', small and large inside',
	packing,
	'gzip',
	gzipSync(Buffer.alloc(1_000_000, 'ab')),
	Buffer.alloc(1_000_000, 'ab'),
);
test(' and nothing inside', packing, 'gzip', Buffer.alloc(0), Buffer.alloc(0));

test('calls one after the other share a connection, calls at one time do not', async (t) => {
	const server = await httpServer(t, async (_request, reply) => {
		await delay(30);
		reply.end('ok');
	});
	const { call } = openTestClient(t);
	const url = `http://partner.example:${server.port}/`;
	for (let index = 0; index < 3; index++) await call(url);
	t.is(server.connections, 1);
	await Promise.all([call(url), call(url), call(url)]);
	t.is(server.connections, 3);
});

test('a name with several addresses is reached over the first that takes a connection', async (t) => {
	const server = await httpServer(t, (_request, reply) => reply.end('ok'), '127.0.0.3');
	const lookup = async () =>
		['127.0.0.1', '127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 as const }));
	const { call } = openTestClient(t, { lookup });
	t.is((await call(`http://partner.example:${server.port}/`)).status, 200);
});

test('a target that refuses the connection, or whose name is not known, is unreachable', async (t) => {
	const server = await rawServer(t, () => {});
	const { call } = openTestClient(t, {
		lookup: async (name) => {
			if (name === 'partner.example') return loopback(name);
			throw Object.assign(new Error('getaddrinfo ENOTFOUND secret.example'), { code: 'ENOTFOUND' });
		},
	});
	// Nothing listens on this port of this address, so the connection is refused.
	const refused = await t.throwsAsync(call(`http://127.0.0.9:${server.port}/`), { instanceOf: ServiceError });
	t.is(refused.reason, 'target-unreachable');
	t.is(refused.moreInfo, 'targetUri: the connection was refused');
	const unknown = await t.throwsAsync(call('http://secret.example/'), { instanceOf: ServiceError });
	t.is(unknown.reason, 'target-unreachable');
	t.is(unknown.moreInfo, 'targetUri: the host name cannot be resolved');
});

test('only the final answer counts', async (t) => {
	const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
	const server = await bytesServer(t, `${interim}HTTP/1.1 200 OK\r\nx-final: yes\r\ncontent-length: 2\r\n\r\nok`);
	const { call } = openTestClient(t);
	const answer = await call(`http://partner.example:${server.port}/`);
	t.is(answer.status, 200);
	t.deepEqual(answer.headers, [['x-final', 'yes']]);
	t.is(String(answer.body), 'ok');
});

test('an answer of any pieces is put together; one that ends with the connection as well', async (t) => {
	const body = Buffer.from(Array.from({ length: 5000 }, (_, index) => `${index},`).join(''));
	const server = await rawServer(t, (socket) =>
		socket.once('data', async () => {
			socket.write('HTTP/1.0 200 OK\r\n\r\n');
			for (let offset = 0; offset < body.length; offset += 700) {
				socket.write(body.subarray(offset, offset + 700));
				await delay(1);
			}
			socket.end();
		}),
	);
	const { call } = openTestClient(t);
	t.true((await call(`http://partner.example:${server.port}/`)).body.equals(body));
});

test('a deadline that has passed ends a call before anything is opened', async (t) => {
	const server = await rawServer(t, () => {});
	const { call } = openTestClient(t);
	const ended = call(`http://partner.example:${server.port}/`, { deadlineAt: performance.now() - 1 });
	t.is((await t.throwsAsync(ended, { instanceOf: ServiceError })).reason, 'request-timed-out');
	t.is(server.connections, 0);
});

test('closing ends what is under way, refuses what comes, and leaves no connection', async (t) => {
	const server = await rawServer(t, (socket) => socket.resume());
	const { client, call } = openTestClient(t);
	const url = `http://partner.example:${server.port}/`;
	const held = call(url);
	await until('the call arrives', () => server.open === 1);
	await client.close();
	await client.close();
	t.is((await t.throwsAsync(held, { instanceOf: ServiceError })).reason, 'request-timed-out');
	t.is((await t.throwsAsync(call(url), { instanceOf: ServiceError })).reason, 'too-many-calls');
	await until('no connection is left', () => server.open === 0);
	t.is(client.inFlight, 0);
});
