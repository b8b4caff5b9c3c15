import test from 'ava';
import { transact } from '../../src/base/database/dialect.ts';
import { EVENT_NAMES, EVENT_TYPES } from '../../src/base/outbox/event-types.ts';
import { recordEvents } from '../../src/base/outbox/record-events.ts';
import { databases } from '../helpers/database.ts';
import { startReceiver } from '../helpers/event-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

for (const dialect of databases) {
	test(`${dialect}: endpoints are put, tested, rotated and removed over HTTP, and events are listed and replayed`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const call = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: object) => {
			const headers = { accept: 'application/json', ...(payload && { 'content-type': 'application/json' }) };
			const response = await caller.inject(method, `/api/${path}`, { headers, payload });
			return { status: response.statusCode, body: response.body === '' ? undefined : response.json() };
		};
		const receiver = await startReceiver(t);
		const put = await call('PUT', 'event-endpoints/crm', { url: receiver.url, types: 'account.locked, job.done' });
		t.is(put.status, 200, JSON.stringify(put.body));
		t.like(put.body, { name: 'crm', target: receiver.url, types: 'account.locked,job.done', state: 'active' });
		t.regex(put.body.secret, /^whsec_/);
		const { secret: _, ...listed } = put.body;
		t.deepEqual((await call('GET', 'event-endpoints')).body, [listed]);
		t.like((await call('POST', 'event-endpoints/crm/test')).body, { received: true, status: 204 });
		t.is(JSON.parse(receiver.calls[0].body).data.account, 'agency');
		const rotated = await call('POST', 'event-endpoints/crm/rotate');
		t.not(rotated.body.secret, put.body.secret);
		for (const body of [{ url: 'ftp://x.example' }, { url: receiver.url, types: 'job.unknown' }, {}]) {
			t.is((await call('PUT', 'event-endpoints/other', body)).status, 400, JSON.stringify(body));
		}

		const mailbox = await call('PUT', 'event-mailboxes/ops@agency.example', { types: 'job.done' });
		t.is(mailbox.status, 200, JSON.stringify(mailbox.body));
		t.like(mailbox.body, { name: 'mailto:ops@agency.example', kind: 'mail', types: 'job.done', signature: null });
		t.false('secret' in mailbox.body);
		for (const address of ['nobody', 'a@b.example,c@d.example'])
			t.is((await call('PUT', `event-mailboxes/${address}`, {})).status, 400, address);
		t.is((await call('DELETE', 'event-endpoints/mailto:ops@agency.example')).status, 200);

		const event = { type: 'job.done' as const, accountId: caller.account.id, about: 'job 1', data: { job: '1' } };
		await transact(parts.database, (transaction) => recordEvents(transaction, [event], parts.clock.now().getTime()));
		const [found] = (await call('GET', 'events?type=job.done')).body;
		t.like(found, { type: 'job.done', data: { account: 'agency', job: '1' } });
		t.like(found.deliveries, [{ endpoint: 'crm', state: 'waiting', tries: 0 }]);
		t.deepEqual((await call('GET', `events/${found.id}`)).body, found);
		t.deepEqual((await call('GET', 'events?to=2020-01-01')).body, []);
		t.is((await call('GET', 'events?from=yesterday')).status, 400);
		t.is((await call('GET', 'events/evt_1')).status, 404);
		t.is((await call('POST', 'events/replay', {})).status, 400);
		t.deepEqual(await call('POST', 'events/replay', { id: found.id }), { status: 202, body: { deliveries: 0 } });
		t.is((await call('DELETE', 'event-endpoints/crm')).status, 200);
		t.is((await call('DELETE', 'event-endpoints/crm')).status, 404);
		t.like((await call('GET', `events/${found.id}`)).body.deliveries, [{ endpoint: null, state: 'failed' }]);
	});
}

test('a caller needs the permission for events, and sees those of its own account alone', async (t) => {
	const parts = await openHttpApp(t);
	const owner = await parts.createCaller('agency');
	const [other, stranger] = [
		await parts.createCaller('other', { permissions: ['ManageRoutes', 'QueryRoutes'] }),
		await parts.createCaller('stranger'),
	];
	const headers = { accept: 'application/json', 'content-type': 'application/json' };
	const payload = { url: 'https://crm.example/' };
	t.is((await owner.inject('PUT', '/api/event-endpoints/crm', { headers, payload })).statusCode, 200);
	for (const [method, path, body] of [
		['GET', 'event-endpoints', undefined],
		['PUT', 'event-endpoints/crm', payload],
		['DELETE', 'event-endpoints/crm', undefined],
		['PUT', 'event-mailboxes/ops@agency.example', { types: 'job.done' }],
		['GET', 'events', undefined],
		['POST', 'events/replay', { from: '2026-01-01' }],
	] as const) {
		const sent = { headers: body ? headers : { accept: 'application/json' }, payload: body };
		const refused = await other.inject(method, `/api/${path}`, sent);
		t.is(refused.statusCode, 403, path);
		t.is(refused.json().message, 'Permission ManageEvents is required');
	}
	t.deepEqual(
		(await stranger.inject('GET', '/api/event-endpoints', { headers: { accept: 'application/json' } })).json(),
		[],
	);
	t.is((await stranger.inject('DELETE', '/api/event-endpoints/crm')).statusCode, 404);
});

test('the document of the interface describes the calls that receivers get', async (t) => {
	const { app } = await openHttpApp(t);
	const { webhooks } = (await app.inject('/openapi.json')).json();
	t.deepEqual(Object.keys(webhooks), EVENT_NAMES);
	for (const name of EVENT_NAMES) {
		const { schema, example } = webhooks[name].post.requestBody.content['application/json'];
		t.is(example.type, name);
		t.deepEqual(Object.keys(schema.properties.data.properties), Object.keys(EVENT_TYPES[name].members));
		t.deepEqual(Object.keys(example.data), Object.keys(EVENT_TYPES[name].members));
	}
});

test('a list of a hundred thousand unknown types is refused at once, and some of them are told', async (t) => {
	const { createCaller } = await openHttpApp(t);
	const caller = await createCaller('agency');
	const types = 'job.dome,'.repeat(100_000);
	for (const [path, more] of [
		['event-endpoints/crm', { url: 'https://x.example' }],
		['event-mailboxes/ops@agency.example', {}],
	] as const) {
		const turn = await bestTurn(async () => {
			const headers = { accept: 'application/json', 'content-type': 'application/json' };
			const answer = await caller.inject('PUT', `/api/${path}`, { headers, payload: { types, ...more } });
			t.is(answer.statusCode, 400);
			t.true(answer.body.length < 2_000, `${answer.body.length}`);
			t.regex(answer.json().moreInfo, /^types: number 1 is not known: perhaps job\.done;/);
		});
		t.true(turn < 4 * MAX_TURN_MS, `${turn} ms`);
	}
});
