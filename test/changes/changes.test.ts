// Tests that changes are noticed which open pages show: on both databases, of the own account only, and by one look for all.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
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
	const stop = changes.watch({ jobs: id, uploads: id, requests: id, counts: id }, (kinds) => seen.push(...kinds));
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
			['counts', 'jobs', 'requests', 'uploads'],
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
	const stop = changes.watch({ jobs: id, uploads: id, requests: id, counts: id }, () => {});
	await until('a look', () => asked.length >= 4);
	stop();
	await changes.settle();
	for (const { sql, bindings } of asked.slice(0, 4)) {
		const plan: { detail: string }[] = await database.knex.raw(`explain query plan ${sql}`, bindings as never);
		const scans = plan.filter(({ detail }) => /^SCAN (?!watched|\d|CONSTANT|queued|newest)/.test(detail));
		t.deepEqual(scans, [], sql);
	}
});
