// Those tests of shared-defenders.test.ts that take long.

import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import { systemClock } from '../../src/base/clock.ts';
import { type DefenderEvent, defaultDefenderSettings } from '../../src/base/defender/defender.ts';
import { openLoginGuard } from '../../src/base/defender/login-guard.ts';
import { openLoginLimiter } from '../../src/doors/http/access/login-limiter.ts';
import { ADDRESS, fail, start } from './shared-defenders.setup.ts';

test('failures at one daemon lead to a refusal at the other within two seconds', async (t) => {
	const { open } = await start(t, 'postgres');
	const running = { clock: systemClock, beatMs: undefined };
	const [one, other] = [await open(running), await open(running)];
	fail(one.sftp, 20);
	t.true(one.sftp.isBanned(ADDRESS), 'at once where it happened');
	const startMs = performance.now();
	while (!other.sftp.isBanned(ADDRESS) && performance.now() - startMs < 10_000) await sleep(20);
	t.log(`after ${Math.round(performance.now() - startMs)} ms`);
	// The ban takes two beats of a second; the third second is for a machine that does other things too.
	t.true(performance.now() - startMs < 3000);
	t.false(other.sftp.isBanned('192.0.2.2'));
	t.false(other.http.isBanned(ADDRESS), 'doors judge for themselves');
});

test('failed logins over HTTP are limited at every daemon, and go on to the sFTP door of each', async (t) => {
	const { open, clock } = await start(t, 'postgres');
	const [one, other] = [await open(), await open()];
	const limiters = [one, other].map(({ http, sftp: defender }) =>
		openLoginLimiter(http, openLoginGuard({ defender, clock, settings: defaultDefenderSettings })),
	);
	const tried = (count: number) => ({ kind: 'api-key', secret: String(count) });
	for (const limiter of limiters) for (let count = 0; count < 50; count++) t.false(limiter.noteFailure(ADDRESS));
	for (const each of [one, other, one]) await each.beat();
	for (const limiter of limiters)
		for (let count = 0; count < 10; count++) t.true(limiter.noteFailure(ADDRESS, tried(count)));
	for (const each of [one, other, one]) await each.beat();
	t.true(one.sftp.isBanned(ADDRESS));
	t.true(other.sftp.isBanned(ADDRESS));
});

test('the embedded database is not queried while nobody fails; PostgreSQL is queried for bans only', async (t) => {
	for (const [dialect, asked] of [
		['sqlite', 0],
		['postgres', 1],
	] as const) {
		const { open, clock, queries } = await start(t, dialect);
		const { sftp, beat } = await open();
		queries.length = 0;
		await beat();
		t.is(queries.length, asked);
		fail(sftp, 20);
		await beat();
		clock.turn(defaultDefenderSettings.banMs);
		queries.length = 0;
		await beat();
		t.is(queries.length, asked, 'once the ban is over');
	}
});

test('for any events at two daemons, exchanged at any time, the scores add up', async (t) => {
	const { open, database } = await start(t, 'postgres');
	const lenient = { ...defaultDefenderSettings, scoreLimit: 1_000_000 };
	const daemons = [
		await open({ doors: { sftp: lenient, http: lenient } }),
		await open({ doors: { sftp: lenient, http: lenient } }),
	];
	const step = fc.record({
		daemon: fc.nat(1),
		address: fc.nat(2),
		event: fc.constantFrom<DefenderEvent | 'beat' | 'beat and go on'>(
			...(['login-failed', 'no-login', 'protocol-abuse'] as const),
			...(['beat', 'beat and go on'] as const),
		),
	});
	let round = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
			const prefix = `10.${++round}.0.`;
			const sums = new Map<string, number>();
			for (const { daemon, address, event } of steps) {
				const key = `${prefix}${address}`;
				if (event === 'beat') await daemons[daemon].beat();
				else if (event === 'beat and go on') void daemons[daemon].beat();
				else {
					daemons[daemon].sftp.report(key, event);
					sums.set(key, (sums.get(key) ?? 0) + lenient.scores[event]);
				}
			}
			for (const each of daemons) await each.beat();
			const rows = await database.knex('defender_scores').where('address', 'like', `${prefix}%`);
			t.deepEqual(
				new Map(rows.map(({ address, score }): [string, number] => [address, score]).sort()),
				new Map([...sums].sort()),
			);
		}),
		{ numRuns: 40 },
	);
});
