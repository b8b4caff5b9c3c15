// Tests the pages of events: endpoints and their secrets, what became of each event, and who may see that.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { recordEvents } from '../../src/base/outbox/record-events.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp, type PortalApp, type SignedIn } from '../helpers/portal-app.ts';

const problemAt = (body: string, field: string) => new RegExp(`id="${field}-problem"[^>]*>([^<]*)<`).exec(body)?.[1];
const secretIn = (body: string) => /id="new-secret">([^<]*)</.exec(body)?.[1];

/** Starts a receiver that gives an answer, and counts its calls. */
async function startReceiver(t: ExecutionContext, status: () => number) {
	let calls = 0;
	const server = createServer((request, response) => {
		calls++;
		request.resume().on('end', () => response.writeHead(status()).end());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls: () => calls };
}

async function record({ database, clock }: PortalApp, { viewer }: SignedIn, job: string): Promise<void> {
	const event = { type: 'job.failed', accountId: viewer.account!.id, about: `job ${job}`, data: { job } } as const;
	await database.knex.transaction((transaction) => recordEvents(transaction, [event], clock.now().getTime()));
}

for (const dialect of databases) {
	test(`${dialect}: an endpoint is added with a secret that is shown once, tested, paused, changed and removed`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const developer = await parts.signIn('developer');
		let status = 204;
		const receiver = await startReceiver(t, () => status);
		t.regex((await developer.get('/portal/events')).body, /Nobody is told yet/);
		const made = await developer.post('/portal/new-event-endpoint', {
			...{ name: 'crm', url: receiver.url },
			'type-job.failed': 'yes',
		});
		t.regex(secretIn(made.body)!, /^whsec_/);
		const page = await developer.get('/portal/event-endpoints/crm');
		t.false(page.body.includes(secretIn(made.body)!), 'it is not shown again');
		t.regex(page.body, /<input id="type-job\.failed"[^>]* checked/);
		t.is((await developer.post('/portal/event-endpoints/crm/test')).statusCode, 303);
		t.is(receiver.calls(), 1);
		status = 500;
		const tested = (await developer.post('/portal/event-endpoints/crm/test')).body;
		t.regex(tested, /not received\. The receiver answered 500\. [^<]+<small lang="en">the receiver answered 500</);
		const rotated = await developer.post('/portal/event-endpoints/crm/rotate');
		t.not(secretIn(rotated.body), secretIn(made.body));
		t.is((await developer.post('/portal/event-endpoints/crm/pause')).statusCode, 303);
		t.is((await parts.endpoints.list(developer.viewer.account!.id))[0].state, 'paused');
		await developer.post('/portal/event-endpoints/crm/resume');
		const changed = await developer.post('/portal/event-endpoints/crm/change', { url: `${receiver.url}2` });
		t.regex(secretIn(changed.body)!, /^whsec_/);
		t.like((await parts.endpoints.list(developer.viewer.account!.id))[0], {
			state: 'active',
			types: null,
			target: `${receiver.url}2`,
		});
		t.is((await developer.post('/portal/event-endpoints/crm/remove')).headers.location, '/portal/events');
		t.deepEqual(await parts.endpoints.list(developer.viewer.account!.id), []);
	});
}

test('what is wrong with an endpoint or a mailbox is said at its field, with what to write', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const bad = await manager.post('/portal/new-event-endpoint', { name: 'c r m', url: 'ftp://x' });
	t.is(bad.statusCode, 400);
	t.regex(problemAt(bad.body, 'name')!, /^expected 1 to 64 letters/);
	const url = await manager.post('/portal/new-event-endpoint', { name: 'crm', url: 'ftp://x' });
	t.regex(problemAt(url.body, 'url')!, /^expected a URL that begins with https/);
	const mailbox = await manager.post('/portal/new-event-mailbox', { to: 'nobody' });
	t.regex(problemAt(mailbox.body, 'to')!, /^expected the address of one mailbox/);
	await manager.post('/portal/new-event-endpoint', { name: 'crm', url: 'https://crm.example/hook' });
	const twice = await manager.post('/portal/new-event-endpoint', { name: 'crm', url: 'https://crm.example/hook' });
	t.regex(problemAt(twice.body, 'name')!, /choose another one/);
});

test('events are listed with their deliveries, and delivered again', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	await manager.post('/portal/new-event-mailbox', { to: 'ops@agency.example', 'type-job.failed': 'yes' });
	await record(parts, manager, 'one');
	await record(parts, manager, 'two');
	const list = (await manager.get('/portal/events')).body;
	t.regex(list, /mailto:ops@agency\.example/);
	t.is([...list.matchAll(/href="\/portal\/events\/evt_/g)].length, 2);
	t.is(
		[...(await manager.get('/portal/events?type=job.done')).body.matchAll(/href="\/portal\/events\/evt_/g)].length,
		0,
	);
	const path = /href="(\/portal\/events\/evt_\w+)"/.exec(list)![1];
	t.regex((await manager.get(path)).body, /waiting/);
	await parts.database.knex('event_deliveries').update({ state: 'failed' });
	t.is((await manager.post(`${path}/replay`)).statusCode, 303);
	t.is((await parts.database.knex('event_deliveries').where({ state: 'waiting' })).length, 1);
	const box = '/portal/event-endpoints/mailto%3Aops%40agency.example';
	t.regex(problemAt((await manager.post(`${box}/replay`, {})).body, 'from')!, /choose a day/);
	const day = parts.clock.now().toISOString().slice(0, 10);
	t.is((await manager.post(`${box}/replay`, { from: day, until: day })).statusCode, 303);
	t.is(
		(await parts.database.knex('event_deliveries').where({ state: 'waiting' })).length,
		2,
		'what waits is not added again',
	);
	t.is((await manager.post(`${box}/types`, { 'type-job.done': 'yes' })).statusCode, 303);
	t.deepEqual((await parts.endpoints.list(manager.viewer.account!.id))[0].types, ['job.done']);
});

test('clerks do not see events, and nobody sees those of another account', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const clerk = await parts.signIn('clerk');
	const stranger = await parts.signIn('manager', { account: 'hotel' });
	await manager.post('/portal/new-event-endpoint', { name: 'crm', url: 'https://crm.example/hook' });
	await record(parts, manager, 'one');
	const path = /href="(\/portal\/events\/evt_\w+)"/.exec((await manager.get('/portal/events')).body)![1];
	for (const each of ['/portal/events', path, '/portal/event-endpoints/crm', '/portal/new-event-endpoint'])
		t.is((await clerk.get(each)).statusCode, 403, each);
	for (const each of [path, '/portal/event-endpoints/crm']) t.is((await stranger.get(each)).statusCode, 404, each);
	t.false((await stranger.get('/portal/events')).body.includes('crm'));
	t.is((await stranger.post('/portal/event-endpoints/crm/remove')).statusCode, 404);
});
