// What a route tells of its runs and files, and that it needs its source only once.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { EVENT_TYPES, type EventName } from '../../src/base/outbox/event-types.ts';
import {
	CSV,
	namesIn,
	openPartners,
	openRouteParts,
	TOKENIZE,
	textOf,
	WHOSE,
	writeOld,
} from '../helpers/route-parts.ts';

const FIRST = ['--url', 'https://crm.example/', '--types'];

test('a run tells that it delivered, gave a file up, failed or stopped, with the members that are declared', async (t) => {
	const { run, put, runNow, addDestination, visa, out } = await openPartners(t);
	const types = 'route.done,route.failed,route.stopped,route.file_dead';
	t.is((await run('event', 'endpoint', 'put', ...WHOSE, '--name', 'crm', ...FIRST, types)).code, 0);
	const from = { destination: 'visa', path: 'out' };
	await put(from, TOKENIZE, { destination: 'bank', path: 'in' });
	t.is((await runNow()).state, 'done');
	writeOld(out, 'good.csv');
	const done = await runNow();
	writeOld(out, 'bad.csv', 'CardNumber,ExpirationMonth\n"4111');
	const failed = await runNow();
	await addDestination('visa', { ...visa, userName: 'nobody-of-this-name' });
	for (let nth = 0; nth < 3; nth++) await runNow();

	const listed: { type: EventName; data: Record<string, unknown> }[] = (await run('event', 'list', ...WHOSE)).json;
	const events = listed.toReversed().filter(({ type }) => type.startsWith('route.'));
	for (const { type, data } of events) {
		const { members } = EVENT_TYPES[type];
		t.deepEqual(Object.keys(data).toSorted(), Object.keys(members).toSorted(), type);
	}
	t.deepEqual(
		events.map(({ type }) => type),
		['route.done', 'route.file_dead', 'route.failed', 'route.failed', 'route.failed', 'route.stopped'],
		'a run without files is not told',
	);
	t.like(events[0].data, {
		route: 'r',
		run: done.run,
		outcome: 'done',
		delivered: 1,
		failed: 0,
		dead: 0,
		reason: null,
	});
	t.like(events[1].data, { route: 'r', run: failed.run, path: 'bad.csv', size: 32, tries: 1 });
	t.like(events[2].data, { run: failed.run, outcome: 'failed', delivered: 0, dead: 1 });
	t.like(events[5].data, { outcome: 'stopped', reason: 'host: the key was not accepted' });
});

test('a file that its partner deletes as it is read is delivered at a later try', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	mkdirSync(join(folder, 'in'));
	writeOld(join(folder, 'in'), 'may.csv');
	// A file stands where the folder of the target is to be made.
	writeFileSync(join(folder, 'blocked'), '');
	const retry = { retry: { first: '100ms' } };
	await put({ folder, path: 'in' }, { operation: 'none' }, { folder, path: 'blocked' }, retry);
	t.like(await runNow(), { state: 'failed', files: [{ path: 'may.csv', state: 'failed' }] });
	rmSync(join(folder, 'in', 'may.csv'));
	rmSync(join(folder, 'blocked'));
	await sleep(150);
	t.like(await runNow(), { state: 'done', files: [{ path: 'may.csv', state: 'delivered', tries: 2 }] });
	t.deepEqual(namesIn(join(folder, 'blocked')), ['may.csv']);
	t.is(textOf(join(folder, 'blocked'), 'may.csv'), CSV);
});
