// Tests what a caller may rely on between the check of a target and the call: one lookup, one address and one place.

import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { OutboundClientOptions } from '../../src/base/outbound/http-client.ts';
import type { Address } from '../../src/base/outbound/system-lookup.ts';
import { closes, fails, httpServer, openTestClient, rawServer } from '../helpers/outbound-servers.ts';

const REQUEST = {
	method: 'POST',
	headers: ['content-type', 'text/plain'],
	body: Buffer.from('body'),
	maxAnswerBytes: 1000,
};

function openPrepared(t: ExecutionContext, options: Partial<OutboundClientOptions> = {}) {
	let asked = 0;
	const lookup = async (): Promise<Address[]> => [{ address: `127.0.0.${++asked}`, family: 4 }];
	const { client, call } = openTestClient(t, { lookup, ...options });
	return {
		client,
		call,
		prepare: (url: string, more: { timeoutMs?: number } = {}) =>
			client.prepare({ url: new URL(url), deadlineAt: performance.now() + (more.timeoutMs ?? 5000) }),
		get asked() {
			return asked;
		},
	};
}

test('DNS rebinding: a host is looked up once, before the call, which goes to that address and no other', async (t) => {
	const checked = await httpServer(t, (_request, reply) => reply.end('checked'));
	const moved = await rawServer(t, () => {}, '127.0.0.2');
	const prepared = openPrepared(t);
	const url = new URL(`http://rebind.example:${checked.port}/`);
	const passage = await prepared.prepare(url.href);
	t.is(checked.connections, 0, 'nothing is opened yet');
	t.is(String((await passage.send({ ...REQUEST, url })).body), 'checked');
	t.is(prepared.asked, 1);
	t.is(moved.connections, 0);
});

test('a connection that waits costs no lookup, and one that was not needed goes on waiting', async (t) => {
	const server = await httpServer(t, (_request, reply) => reply.end('ok'));
	const prepared = openPrepared(t);
	const url = new URL(`http://partner.example:${server.port}/`);
	await prepared.call(url.href);
	for (let nth = 0; nth < 3; nth++) (await prepared.prepare(url.href)).release();
	const passage = await prepared.prepare(url.href);
	t.is((await passage.send({ ...REQUEST, url })).status, 200);
	passage.release();
	t.is(prepared.asked, 1);
	t.is(server.connections, 1);
	t.is(prepared.client.inFlight, 0);
});

test('a connection that ends between the check and the call is replaced by one to an address checked anew', async (t) => {
	const server = await rawServer(t, (socket) =>
		socket.on('data', () => {
			socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
			setTimeout(() => socket.end(), 20);
		}),
	);
	const prepared = openPrepared(t, { allowPrivate: true, lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
	const url = new URL(`http://partner.example:${server.port}/`);
	await prepared.call(url.href);
	const passage = await prepared.prepare(url.href);
	await delay(80);
	t.is((await passage.send({ ...REQUEST, url })).status, 200);
	t.is(server.connections, 2);
});

test('an address is not looked up', async (t) => {
	const server = await httpServer(t, (_request, reply) => reply.end('ok'));
	const prepared = openPrepared(t);
	const url = new URL(`http://127.0.0.1:${server.port}/`);
	t.is((await (await prepared.prepare(url.href)).send({ ...REQUEST, url })).status, 200);
	t.is(prepared.asked, 0);
});

test('a target that may not be called is refused before the call, and holds no place', async (t) => {
	const prepared = openPrepared(t, { allowPrivate: false, maxInFlight: 1 });
	const moreInfo = 'targetUri: the host is not allowed';
	for (const host of ['inside.example', '127.0.0.1', '[::1]']) {
		await fails(t, prepared.prepare(`http://${host}/`), 'bad-input-data', moreInfo);
	}
	t.is(prepared.client.inFlight, 0);
});

test('a name server that never answers ends the check at its deadline', async (t) => {
	const prepared = openPrepared(t, { lookup: () => new Promise(() => {}) });
	const begin = performance.now();
	await fails(t, prepared.prepare('http://nowhere.example/', { timeoutMs: 200 }), 'request-timed-out');
	t.true(performance.now() - begin < 10_000);
	t.is(prepared.client.inFlight, 0);
});

test('a prepared call holds its slot until it is released', async (t) => {
	const prepared = openPrepared(t, { maxInFlight: 1 });
	const passage = await prepared.prepare('http://partner.example/');
	t.is(prepared.client.inFlight, 1);
	await fails(t, prepared.prepare('http://partner.example/'), 'too-many-calls');
	passage.release();
	passage.release();
	t.is(prepared.client.inFlight, 0);
	(await prepared.prepare('http://partner.example/')).release();
});

test('a passage serves one call, and none to another origin', async (t) => {
	const server = await httpServer(t, (_request, reply) => reply.end('ok'));
	const prepared = openPrepared(t);
	const url = new URL(`http://partner.example:${server.port}/a`);
	const passage = await prepared.prepare(url.href);
	const elsewhere = new URL(`http://other.example:${server.port}/`);
	await t.throwsAsync(passage.send({ ...REQUEST, url: elsewhere }), { message: /internal error/ });
	t.is((await passage.send({ ...REQUEST, url })).status, 200);
	await t.throwsAsync(passage.send({ ...REQUEST, url }), { message: /internal error/ });
	t.is(server.connections, 1);
	t.is(prepared.client.inFlight, 0);
});

test('closing ends what is prepared and what is being looked up, with its connections', async (t) => {
	const server = await httpServer(t, (_request, reply) => reply.end('ok'));
	const slow = openPrepared(t, { lookup: () => new Promise(() => {}) });
	const looking = slow.prepare('http://nowhere.example/');
	await slow.client.close();
	await fails(t, looking, 'request-timed-out');

	const { client, call, prepare } = openPrepared(t);
	const url = new URL(`http://partner.example:${server.port}/`);
	await call(url.href);
	const passage = await prepare(url.href);
	await client.close();
	await fails(t, passage.send({ ...REQUEST, url }), 'too-many-calls');
	t.is(client.inFlight, 0);
	await closes(t, server);
});

test('headers that cannot be sent end the passage, and nothing is opened', async (t) => {
	const server = await rawServer(t, () => {});
	const { client, prepare } = openPrepared(t);
	const url = new URL(`http://partner.example:${server.port}/`);
	const passage = await prepare(url.href);
	const moreInfo = 'x-a: the header holds a character that cannot be sent';
	await fails(t, passage.send({ ...REQUEST, url, headers: ['x-a', 'b\nc'] }), 'bad-input-data', moreInfo);
	t.is(client.inFlight, 0);
	t.is(server.connections, 0);
});
