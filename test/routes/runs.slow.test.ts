// What a route does after failures of partners, logins and files that still change.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { CSV, namesIn, openPartners, openRouteParts, writeOld } from '../helpers/route-parts.ts';

test('a partner that is down fails the run, and what was collected is delivered when it is back', async (t) => {
	const { run, put, runNow, route, bank, out } = await openPartners(t);
	writeOld(out, 'may.csv');
	const retry = { retry: { tries: 3, first: '100ms', longest: '100ms' } };
	await put(
		{ destination: 'visa', path: 'out', afterwards: 'delete' },
		{ operation: 'none' },
		{ destination: 'bank' },
		retry,
	);
	await bank.kill();
	t.like(await runNow(), {
		state: 'failed',
		reason: 'host: the connection was refused',
		files: [{ state: 'failed', tries: 1 }],
	});
	t.deepEqual(namesIn(out), ['may.csv'], 'nothing is deleted at the source before the delivery stands');
	t.is((await run('audit', 'verify')).code, 0);
	for (const each of readdirSync(run.dataDir, { recursive: true, withFileTypes: true })) {
		if (!each.isFile()) continue;
		const bytes = readFileSync(join(each.parentPath, each.name));
		t.false(bytes.includes('4111111111111111'), `${each.name}: what was collected is sealed`);
	}
	t.like((await route('files', '--name', 'r')).json, [
		{ state: 'claimed', tries: 1, reason: 'host: the connection was refused' },
	]);
	await sleep(150);
	t.like(await runNow(), { state: 'failed' });
	await sleep(150);
	t.like(await runNow(), { state: 'failed', files: [{ state: 'dead', tries: 3 }] });
	t.like((await route('list')).json, [{ state: 'failing' }]);
});

test('a login that is refused three times stops the route until somebody resumes it', async (t) => {
	const { put, runNow, route, addDestination, visa, bank, out } = await openPartners(t);
	writeOld(out, 'may.csv');
	await addDestination('visa', { ...visa, userName: 'nobody-of-this-name' });
	const from = { destination: 'visa', path: 'out' };
	await put(from, { operation: 'none' }, { destination: 'bank' }, { retry: { first: '1s' } });
	t.like(await runNow(), { state: 'failed', reason: 'host: the key was not accepted' });
	t.like(await runNow(), { state: 'failed' });
	const third = await runNow();
	t.like(third, { code: 1, state: 'stopped', reason: 'host: the key was not accepted' });
	t.like((await route('list')).json, [{ state: 'stopped', lastOutcome: 'stopped', nextRunAt: null }]);
	t.is((await route('show', '--name', 'r')).json.stoppedBecause, 'host: the key was not accepted');
	const refused = await route('run', '--name', 'r');
	t.is(refused.code, 1);
	t.regex(refused.json.error.message, /is stopped because its login was refused/);
	await addDestination('visa', visa);
	t.like((await route('resume', '--name', 'r')).json, { state: 'waiting' });
	t.like(await runNow(), { state: 'done', files: [{ state: 'delivered' }] });
	t.deepEqual(namesIn(bank.folder), ['in', 'may.csv']);
});

test('a file that still changes waits for the second look of its run', async (t) => {
	const { folder, put, runNow } = await openRouteParts(t);
	mkdirSync(join(folder, 'in'));
	writeFileSync(join(folder, 'in', 'still.csv'), CSV);
	writeFileSync(join(folder, 'in', 'grows.csv'), CSV);
	await put({ folder, path: 'in', ready: { unchanged: '4s' } }, { operation: 'none' }, { drop: '/tokenized/GBT' });
	const running = runNow();
	// No daemon takes the run within the first seconds, and then the command looks for the first time.
	await sleep(5_000);
	writeFileSync(join(folder, 'in', 'grows.csv'), CSV + CSV);
	const run = await running;
	t.is(run.state, 'done');
	const states = run.files.map(({ path, state }: { path: string; state: string }) => `${path} ${state}`);
	t.deepEqual(states, ['grows.csv skipped', 'still.csv delivered']);
});
