import { createPublicKey, verify } from 'node:crypto';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { ServiceError } from '../../src/base/errors.ts';
import { maskCardNumbers } from '../../src/base/log/card-numbers.ts';
import { callEndpoint } from '../../src/work/events/call-endpoint.ts';
import { deliveryStore } from '../../src/work/events/delivery-store.ts';
import { endpointStore } from '../../src/work/events/endpoint-store.ts';
import { listEvents, purgeEvents, replayEvents } from '../../src/work/events/history.ts';
import { runLane } from '../../src/work/events/lane.ts';
import { retryAfterMs, waitAfter } from '../../src/work/events/retry-times.ts';
import { databases } from '../helpers/database.ts';
import { BY, OWNER, openEvents, type ReceiverAnswer, startReceiver } from '../helpers/event-parts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

for (const dialect of databases) {
	test(`${dialect}: an event is signed so that the library of Standard Webhooks verifies it`, async (t) => {
		const { put, tell, deliver, database } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		const secret = await put('crm', receiver.url);
		t.regex(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
		await tell({ data: { job: '1', cards: 2 } });
		await deliver();
		t.is(receiver.calls.length, 1);
		const [{ headers, body }] = receiver.calls;
		// The library compares the time with the present, so it is told that the present is the time of the clock here.
		const stamped = verifyAt(secret, body, headers, new Date('2026-06-01T02:00:00Z'));
		t.deepEqual(stamped, {
			...{ type: 'job.done', timestamp: '2026-06-01T02:00:00.000Z' },
			data: { account: 'agency', job: '1', cards: 2 },
		});
		t.is(headers['content-type'], 'application/json');
		t.notRegex(String(headers['webhook-id']), /\./, 'a dot would leave open where the signed id ends');
		const [event] = await listEvents(database, OWNER.accountId, { limit: 10 });
		t.like(event.deliveries[0], { endpoint: 'crm', state: 'sent', tries: 1, status: 204 });
	});

	test(`${dialect}: a failed event is tried again under the same id, with a new time, until its tries are used up`, async (t) => {
		const { put, tell, deliver, clock, database } = await openEvents(t, dialect);
		const receiver = await startReceiver(t, () => ({ status: 302, headers: { location: '/elsewhere' } }));
		const secret = await put('crm', receiver.url);
		await tell({});
		const waits: number[] = [];
		for (const wait of [
			0,
			5_000,
			5 * MINUTE,
			30 * MINUTE,
			2 * HOUR,
			5 * HOUR,
			10 * HOUR,
			14 * HOUR,
			20 * HOUR,
			24 * HOUR,
		]) {
			if (wait > 0) {
				clock.turn(wait - 1);
				await deliver();
				t.is(receiver.calls.length, waits.length, 'not before its time');
				clock.turn(1);
			}
			await deliver();
			waits.push(wait);
			t.is(receiver.calls.length, waits.length);
		}
		t.is(new Set(receiver.calls.map(({ id }) => id)).size, 1);
		t.is(new Set(receiver.calls.map(({ headers }) => headers['webhook-timestamp'])).size, 10);
		for (const { headers, body } of receiver.calls) {
			const at = new Date(Number(headers['webhook-timestamp']) * 1000);
			t.notThrows(() => verifyAt(secret, body, headers, at));
		}
		clock.turn(48 * HOUR);
		await deliver();
		t.is(receiver.calls.length, 10);
		const [event] = await listEvents(database, OWNER.accountId, { limit: 10 });
		t.like(event.deliveries[0], { state: 'failed', tries: 10, status: 302, reason: 'the receiver answered 302' });
		t.deepEqual(await database.knex('event_deliveries').pluck('told'), [
			JSON.stringify({ code: 'receiver-refused', parameters: { status: 302 } }),
		]);
	});

	test(`${dialect}: while secrets overlap, both sign; a day later only the new one does`, async (t) => {
		const { put, tell, deliver, clock, endpoints } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		const former = await put('crm', receiver.url);
		const present = (await endpoints.rotate(OWNER, 'crm', BY)).secret.reveal();
		t.not(present, former);
		await tell({});
		await deliver();
		const [first] = receiver.calls;
		t.is(String(first.headers['webhook-signature']).split(' ').length, 2);
		t.notThrows(() => verifyAt(former, first.body, first.headers, clock.now()));
		t.notThrows(() => verifyAt(present, first.body, first.headers, clock.now()));
		clock.turn(24 * HOUR);
		await tell({});
		await deliver();
		const second = receiver.calls[1];
		t.throws(() => verifyAt(former, second.body, second.headers, clock.now()));
		t.notThrows(() => verifyAt(present, second.body, second.headers, clock.now()));
	});

	test(`${dialect}: an endpoint that asks for it gets signatures by Ed25519`, async (t) => {
		const { put, tell, deliver } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		const shown = await put('crm', receiver.url, { signature: 'v1a' });
		t.regex(shown, /^whpk_/);
		await tell({});
		await deliver();
		const [{ headers, body, id }] = receiver.calls;
		const signature = Buffer.from(/^v1a,(\S+)$/.exec(String(headers['webhook-signature']))![1], 'base64');
		const key = createPublicKey({
			key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(shown.slice(5), 'base64').toString('base64url') },
			format: 'jwk',
		});
		t.true(verify(null, Buffer.from(`${id}.${headers['webhook-timestamp']}.${body}`), key, signature));
	});

	test(`${dialect}: 410 disables an endpoint, and replay tells it what it has missed once it is put again`, async (t) => {
		const { put, tell, deliver, endpoints, logged, database, audit, clock } = await openEvents(t, dialect);
		let status = 410;
		const receiver = await startReceiver(t, () => ({ status }));
		await put('crm', receiver.url);
		await tell({ data: { job: '1' } });
		await deliver();
		t.like(await endpoints.get(OWNER.accountId, 'crm'), {
			state: 'disabled',
			failure: { reason: 'the receiver answered 410', told: { code: 'receiver-gone' } },
		});
		t.like(logged[0], { name: 'crm', reason: 'the receiver answered 410' });
		await tell({ data: { job: '2' } });
		await deliver();
		t.is(receiver.calls.length, 1, 'a disabled endpoint is not called');
		const alone = { fromMs: 0, endpoint: 'crm' };
		await t.throwsAsync(replayEvents({ database, audit, clock }, OWNER, alone, BY), {
			message: /is disabled: event endpoint put enables it again/,
		});
		status = 200;
		await put('crm', receiver.url);
		const plan = { fromMs: clock.now().getTime() - HOUR };
		t.is(await replayEvents({ database, audit, clock }, OWNER, plan, BY), 2);
		t.is(await replayEvents({ database, audit, clock }, OWNER, plan, BY), 0, 'they wait already');
		await deliver();
		t.is(receiver.calls.length, 3);
		t.is(receiver.calls[1].id, receiver.calls[0].id, 'the id of the event is the same');
	});

	test(`${dialect}: events wait for an endpoint that is paused, come in their order when it goes on, and are given up at last`, async (t) => {
		const { endpoints, put, tell, deliver, clock, database } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		const figures = () => deliveryStore(database).figures();
		await put('crm', receiver.url);
		t.like(await endpoints.pause(OWNER, 'crm', BY), { state: 'paused' });
		await tell({ data: { job: '1', cards: 2 } });
		await put('crm', receiver.url);
		await endpoints.rotate(OWNER, 'crm', BY);
		t.like(await endpoints.get(OWNER.accountId, 'crm'), { state: 'paused' }, 'put and rotate leave it paused');
		await endpointStore(database.knex).rest((await endpoints.getRow(OWNER.accountId, 'crm')).id, clock.now().getTime());
		clock.turn(3_600_000);
		await tell({ data: { job: '1', cards: 3 } });
		await deliver();
		t.is(receiver.calls.length, 0);
		t.deepEqual(await figures(), { waiting: 0, oldestAt: null, disabled: 0 }, 'what waits there alarms nobody');
		t.like(await endpoints.resume(OWNER, 'crm', BY), { state: 'active' });
		t.deepEqual(await figures(), { waiting: 2, oldestAt: clock.now().getTime() - 3_600_000, disabled: 0 });
		await deliver();
		await deliver();
		t.deepEqual(
			receiver.calls.map(({ body }) => JSON.parse(body).data.cards),
			[2, 3],
		);
		await endpoints.pause(OWNER, 'crm', BY);
		await endpoints.pause(OWNER, 'crm', BY);
		const entries = await database.knex('audit').where({ action: 'event-endpoint.pause' });
		t.is(entries.length, 2, 'pausing what is paused is no entry');
		await tell({ data: { job: '2' } });
		clock.turn(31 * 24 * 3_600_000);
		t.is(await purgeEvents({ database, clock }), 3);
		t.deepEqual(await database.knex('event_deliveries').where({ state: 'waiting' }), []);
	});

	test(`${dialect}: Retry-After is honoured for the whole endpoint, in seconds and as a date`, async (t) => {
		const { put, tell, deliver, clock } = await openEvents(t, dialect);
		let answer: ReceiverAnswer = { status: 503, headers: { 'retry-after': '600' } };
		const receiver = await startReceiver(t, () => answer);
		await put('crm', receiver.url);
		await tell({ data: { job: '1' } });
		await deliver();
		await tell({ data: { job: '2' } });
		clock.turn(599_000);
		await deliver();
		t.is(receiver.calls.length, 1);
		const later = new Date(clock.now().getTime() + 1_000 + HOUR);
		answer = { status: 429, headers: { 'retry-after': later.toUTCString() } };
		clock.turn(1_000);
		await deliver();
		const tried = receiver.calls.length;
		t.true(tried > 1);
		clock.turn(HOUR - 1);
		await deliver();
		t.is(receiver.calls.length, tried);
		answer = { status: 200 };
		clock.turn(1);
		await deliver();
		t.is(new Set(receiver.calls.slice(tried).map(({ id }) => id)).size, 2);
	});

	test(`${dialect}: events of one job come in order and hold up neither other jobs nor other endpoints`, async (t) => {
		const { put, tell, deliver, clock } = await openEvents(t, dialect);
		let isBroken = true;
		const jobOf = (body: string) => JSON.parse(body).data.job as string;
		const crm = await startReceiver(t, ({ body }) => ({ status: isBroken && jobOf(body) === '1' ? 500 : 200 }));
		const other = await startReceiver(t);
		await put('crm', crm.url);
		await put('other', other.url);
		await tell({ data: { job: '1', nth: 1 } }, { data: { job: '1', nth: 2 } }, { data: { job: '2', nth: 3 } });
		await tell({ data: { job: '1', nth: 4 } });
		const nths = (calls: readonly { body: string }[]) => calls.map(({ body }) => JSON.parse(body).data.nth);
		await deliver();
		t.deepEqual(nths(crm.calls).sort(), [1, 3]);
		t.deepEqual(
			nths(other.calls).filter((nth) => nth !== 3),
			[1, 2, 4],
		);
		isBroken = false;
		clock.turn(5_000);
		await deliver();
		t.deepEqual(nths(crm.calls.slice(2)), [1, 2, 4]);
	});

	test(`${dialect}: after a kill between sending and noting it, the event comes again under its id`, async (t) => {
		const { put, tell, deliver, clock, database, endpoints, ...parts } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		await put('crm', receiver.url);
		await tell({});
		const [id] = await deliveryStore(database).listDueEndpoints(clock.now().getTime(), 1);
		// The database is gone for this daemon as soon as the call was answered.
		const dying = Object.create(database, {
			knex: {
				get: () => {
					if (receiver.calls.length > 0) throw new Error('killed');
					return database.knex;
				},
			},
		}) as typeof database;
		const signal = new AbortController().signal;
		await t.throwsAsync(runLane({ ...parts, clock, endpoints, database: dying }, id, signal), { message: 'killed' });
		t.is(receiver.calls.length, 1);
		await deliver();
		t.is(receiver.calls.length, 1, 'the claim still stands');
		clock.turn(MINUTE);
		await deliver();
		t.is(receiver.calls.length, 2);
		t.is(receiver.calls[1].id, receiver.calls[0].id);
		clock.turn(HOUR);
		await deliver();
		t.is(receiver.calls.length, 2);
	});

	test(`${dialect}: an event is there exactly when its transaction was committed, and only for those who want it`, async (t) => {
		const { put, tell, deliver, database, clock } = await openEvents(t, dialect);
		const receiver = await startReceiver(t);
		await tell({});
		t.is((await listEvents(database, OWNER.accountId, { limit: 10 })).length, 0, 'nobody listens');
		await put('crm', receiver.url, { types: ['job.failed'] });
		await tell({ type: 'job.done' }, { type: 'job.failed' });
		await tell({ type: 'job.failed', once: 'x' });
		await tell({ type: 'job.failed', once: 'x' });
		await deliver();
		t.deepEqual(
			receiver.calls.map(({ body }) => JSON.parse(body).type),
			['job.failed', 'job.failed'],
		);
		clock.turn(31 * 24 * HOUR);
		t.is(await purgeEvents({ database, clock }), 3);
		t.is((await database.knex('event_deliveries')).length, 0);
	});
}

test('a receiver has fifteen seconds for its answer', async (t) => {
	const { clock } = await openEvents(t, 'sqlite');
	let leftMs = 0;
	const outbound = {
		async call({ deadlineAt }: { readonly deadlineAt: number }) {
			leftMs = deadlineAt - performance.now();
			throw new ServiceError('request-timed-out');
		},
	};
	const target = { url: new URL('http://crm.example/'), secrets: ['whsec_AAAA'] };
	const end = await callEndpoint({ outbound: outbound as never, clock }, target, { id: 'evt_1', body: '{}' });
	t.like(end, { outcome: 'failed', status: null, isDown: true });
	t.true(leftMs > 14_000 && leftMs <= 15_000, `${leftMs}`);
});

test('Retry-After is read as seconds and as a date, and nothing else', (t) => {
	const now = Date.parse('2026-06-01T00:00:00Z');
	t.is(retryAfterMs('120', now), 120_000);
	t.is(retryAfterMs('Mon, 01 Jun 2026 00:02:00 GMT', now), 120_000);
	t.is(retryAfterMs('Sun, 31 May 2026 00:00:00 GMT', now), 0);
	t.is(retryAfterMs('99999999', now), 24 * HOUR);
	for (const text of [undefined, '', '-5', '1.5', 'soon', '2026-06-02']) t.is(retryAfterMs(text, now), undefined);
	t.is(waitAfter(1, 60_000, 0), 60_000);
	t.is(waitAfter(2, 60_000, 1), 5.5 * MINUTE);
	t.is(waitAfter(10, 60_000, 0), undefined);
});

test('no event has a card number, whatever its texts are', async (t) => {
	const { put, tell, database } = await openEvents(t, 'sqlite');
	await put('crm', 'http://127.0.0.1:1/');
	const numbers = ['4111111111111111', '4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005'];
	const around = ['', 'a', 'out/', '_', ' in 12 ', 'x'.repeat(395), '\n', '"'];
	const count = 10_000;
	const events = Array.from({ length: count }, (_, nth) => {
		const name = `${around[nth % 8]}${numbers[nth % 4]}${around[(nth >> 3) % 8]}${nth % 3 === 0 ? '.csv' : `_${nth}`}`;
		return { type: 'job.failed' as const, data: { job: String(nth), name, message: `${name} is malformed` } };
	});
	await tell(...events);
	const bodies: string[] = await database.knex('events').pluck('body');
	t.is(bodies.length, count);
	for (const body of bodies) {
		const { name, message } = JSON.parse(body).data;
		for (const text of [name, message]) {
			if (maskCardNumbers(text) !== text || numbers.some((number) => text.includes(number))) return t.fail(text);
		}
		if (Buffer.byteLength(body) >= 20_000) return t.fail('too large');
	}
});

function verifyAt(secret: string, body: string, headers: object, at: Date): unknown {
	const { now } = Date;
	Date.now = () => at.getTime();
	try {
		return new Webhook(secret).verify(body, headers as Record<string, string>);
	} finally {
		Date.now = now;
	}
}
