import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { AnswerBody, ByteBudget } from '../../src/base/outbound/answer-body.ts';
import { Targets } from '../../src/base/outbound/http-client.ts';
import { Target } from '../../src/base/outbound/target.ts';
import { httpsServer, loopback, makeAuthority, openTestClient, rawServer } from '../helpers/outbound-servers.ts';

const signal = new AbortController().signal;

test('a connection that waits is taken last in, first out, and not after a minute: the name may have moved', async (t) => {
	const server = await rawServer(t, (socket) => socket.resume());
	const options = { isTls: false, host: 'partner.example', port: `${server.port}`, identity: undefined };
	const target = new Target({ ...options, allowPrivate: true, lookup: loopback });
	t.teardown(() => target.close());
	const [first, second] = [await target.open(signal), await target.open(signal)];
	t.true(target.isBusy);
	target.give(first);
	target.give(second);
	t.false(target.isBusy);
	const now = performance.now();
	t.is(target.take(now + 50_000), second);
	t.is(target.take(now + 61_000), undefined);
	t.false(first.isOpen);
	target.close();
	target.give(second);
	t.false(second.isOpen);
	await delay(50);
	t.false(target.isBusy);
});

test('as many targets are kept as there is room for; the one used longest ago goes', (t) => {
	const targets = new Targets({ allowPrivate: true, lookup: loopback });
	t.teardown(() => targets.close());
	const of = (index: number) => targets.of(new URL(`http://host-${index}.example/`), undefined);
	const [oldest, kept] = [of(0), of(1)];
	for (let index = 0; index < 256; index++) of(index).take(index === 1 ? 9999 : index);
	t.is(targets.size, 256);
	of(300);
	t.is(targets.size, 256);
	t.is(of(1), kept);
	t.not(of(0), oldest);
});

test('TLS sessions are resumed: a second connection costs less', async (t) => {
	const authority = await makeAuthority();
	const pair = await authority.issue('partner.example');
	const resumed: boolean[] = [];
	const server = await httpsServer(t, pair, (request, reply) => {
		resumed.push((request.socket as import('node:tls').TLSSocket).isSessionReused());
		reply.setHeader('connection', 'close').end();
	});
	const { call } = openTestClient(t);
	const tls = { authorities: authority.certificate };
	for (let index = 0; index < 3; index++) {
		await call(`https://partner.example:${server.port}/`, { tls });
		await delay(20);
	}
	t.deepEqual(resumed, [false, true, true]);
});

test('a body that drips in is held in little more than its length', (t) => {
	const body = new AnswerBody();
	const piece = Buffer.alloc(1, 'x');
	for (let index = 0; index < 200_000; index++) body.append(piece);
	t.is(body.length, 200_000);
	t.true(body.bytes().equals(Buffer.alloc(200_000, 'x')));
	t.true(body.bytes().buffer.byteLength <= 400_000);
	t.is(new AnswerBody().bytes().length, 0);
});

test('a budget is never overdrawn', (t) => {
	const budget = new ByteBudget(10);
	t.true(budget.take(6));
	t.false(budget.take(5));
	t.true(budget.take(4));
	budget.give(10);
	t.true(budget.take(10));
});
