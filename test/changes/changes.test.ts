// Tests that changes are noticed which open pages show: on both databases, of the own account only, and by one look for all.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { recordEvents } from '../../src/base/outbox/record-events.ts';
import { type ChangeKind, openChanges } from '../../src/work/changes/changes.ts';
import { databases } from '../helpers/database.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';
import { until } from '../helpers/until.ts';
import { CSV, sendPiece } from '../portal/files.setup.ts';

/** Watches everything of an account, and returns the kinds that have changed since they were asked for last. */
function watching({ database, clock, logger }: PortalApp, id: AccountId) {
	const changes = openChanges({ database, clock, logger, everyMs: 20 });
	let seen: ChangeKind[] = [];
	const watched = { jobs: id, uploads: id, requests: id, counts: id, routes: id, events: id };
	const stop = changes.watch(watched, (kinds) => seen.push(...kinds));
	return {
		stop,
		async next(wanted: ChangeKind) {
			await until(`a change of ${wanted}`, () => seen.includes(wanted));
			const kinds = [...new Set(seen)].sort();
			seen = [];
			return kinds;
		},
		seen: () => seen,
		settle: () => changes.settle(),
	};
}

for (const dialect of databases) {
	test(`${dialect}: every step of a file and of a card request is noticed, and nothing of another account`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const clerk = await parts.signIn('clerk');
		const other = await parts.signIn('clerk', { account: 'other' });
		const watch = watching(parts, clerk.viewer.account!.id);
		const unseen = watching(parts, other.viewer.account!.id);
		t.deepEqual(
			await watch.next('counts'),
			['counts', 'events', 'jobs', 'requests', 'routes', 'uploads'],
			'the first look names all kinds',
		);
		await unseen.next('counts');

		await sendPiece(parts, clerk, CSV.slice(0, 20), { size: CSV.length });
		t.deepEqual(await watch.next('uploads'), ['uploads']);
		await sendPiece(parts, clerk, CSV, { size: CSV.length });
		t.true((await watch.next('jobs')).includes('jobs'));
		await runNextJob(parts);
		t.true((await watch.next('jobs')).includes('jobs'), 'the job is done');
		const { job } = (await sendPiece(parts, clerk, 'nothing here is a table\n"', { name: 'bad.csv' })).json();
		await watch.next('jobs');
		await runNextJob(parts);
		await watch.next('jobs');
		await clerk.post(`/portal/jobs/${job}/retry`);
		await watch.next('jobs');

		await clerk.post('/portal/requests/new', { RecipientName: 'Anna', CreatorReference: 'stay-17' });
		await watch.next('requests');
		const { id } = await parts.database.knex('card_requests').first('id');
		await clerk.post(`/portal/requests/${id}/cancel`);
		await watch.next('requests');

		const fields = { operation: 'none', from: 'drop /tokenized/CSV', to: 'drop /tokenized/GBT', when: 'hand' };
		await clerk.post('/portal/new-route', { ...fields, name: 'nightly' });
		await watch.next('routes');
		for (const action of ['pause', 'resume', 'run']) {
			t.is((await clerk.post(`/portal/routes/nightly/${action}`)).statusCode, 303, action);
			t.deepEqual(await watch.next('routes'), ['routes'], action);
		}
		const { id: run } = await parts.database.knex('route_runs').first('id');
		await parts.database.knex('route_runs').update({ state: 'done' });
		await watch.next('routes');
		const file = {
			route_id: (await parts.database.knex('routes').first('id')).id,
			size: 5,
			modified_at: 1,
			seen_at: 1,
		};
		await parts.database.knex('route_files').insert({ ...file, path: 'a.csv', state: 'dead', tries: 8, run_id: run });
		await watch.next('routes');

		const developer = await parts.signIn('developer');
		await developer.post('/portal/new-event-endpoint', { name: 'crm', url: 'https://crm.example/hook' });
		await watch.next('events');
		await developer.post('/portal/event-endpoints/crm/pause');
		await watch.next('events');
		const told = { type: 'route.done', accountId: clerk.viewer.account!.id, about: 'route nightly', data: {} } as const;
		await parts.database.knex.transaction((transaction) => recordEvents(transaction, [told], Date.now()));
		await watch.next('events');
		await parts.database.knex('event_deliveries').update({ state: 'sent' });
		t.deepEqual(await watch.next('events'), ['events']);

		t.deepEqual(unseen.seen(), []);
		for (const each of [watch, unseen]) {
			each.stop();
			await each.settle();
		}
	});
}

test('however many watch, there is one look, and none once nobody watches', async (t) => {
	const { database, clock, logger, signIn } = await openPortalApp(t);
	const { id } = (await signIn('clerk')).viewer.account!;
	const changes = openChanges({ database, clock, logger, everyMs: 20 });
	let looks = 0;
	database.knex.on('query', ({ sql }) => {
		if (/^with watched/.test(sql)) looks++;
	});
	let called = 0;
	const stops = Array.from({ length: 50 }, () => changes.watch({ jobs: id }, () => called++));
	await until('three looks', () => looks >= 3);
	t.is(called, 50, 'each is told of the first look, and of nothing afterwards');
	for (const stop of stops) stop();
	await changes.settle();
	const before = looks;
	await new Promise((resolve) => setTimeout(resolve, 200));
	t.is(looks, before);
});

test('marks are read by indexes, without reading what has ended', async (t) => {
	const { database, clock, logger, signIn } = await openPortalApp(t);
	const { id } = (await signIn('clerk')).viewer.account!;
	const asked: { sql: string; bindings: readonly unknown[] }[] = [];
	database.knex.on('query', ({ sql, bindings = [] }) => {
		if (/^with watched/.test(sql)) asked.push({ sql, bindings });
	});
	const changes = openChanges({ database, clock, logger, everyMs: 20 });
	const watched = { jobs: id, uploads: id, requests: id, counts: id, routes: id, events: id };
	const stop = changes.watch(watched, () => {});
	await until('a look', () => asked.length >= 6);
	stop();
	await changes.settle();
	for (const { sql, bindings } of asked.slice(0, 6)) {
		const plan: { detail: string }[] = await database.knex.raw(`explain query plan ${sql}`, bindings as never);
		const scans = plan.filter(({ detail }) => /^SCAN (?!watched|\d|CONSTANT|queued|newest)/.test(detail));
		t.deepEqual(scans, [], sql);
	}
});
