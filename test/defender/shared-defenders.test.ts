import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { systemClock } from '../../src/base/clock.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { type Defender, type DefenderEvent, defaultDefenderSettings } from '../../src/base/defender/defender.ts';
import { openLoginGuard } from '../../src/base/defender/login-guard.ts';
import { scoreStore } from '../../src/base/defender/score-store.ts';
import { openSharedDefenders, type SharedDefendersOptions } from '../../src/base/defender/shared-defenders.ts';
import { failedLoginSettings, openLoginLimiter } from '../../src/doors/http/access/login-limiter.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-rooms.ts';

const ADDRESS = '192.0.2.1';
const HOUR_MS = 3_600_000;
const doors = { sftp: defaultDefenderSettings, http: failedLoginSettings };

/** Makes a database on which a test opens as many defenders as it likes, which exchange reports when they are told to. */
async function start(t: ExecutionContext, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const clock = turnableClock();
	const log: string[] = [];
	const note = (_: unknown, text?: string) => void log.push(text ?? String(_));
	const logger = { info: note, warn: note } as unknown as SharedDefendersOptions['logger'];
	const queries: string[] = [];
	database.knex.on('query', ({ sql }: { sql: string }) => queries.push(sql));
	return {
		...{ database, clock, log, queries, store: scoreStore(database.knex) },
		async open(more: Partial<SharedDefendersOptions> = {}) {
			const opened = await openSharedDefenders({ database, clock, logger, doors, beatMs: HOUR_MS, ...more });
			t.teardown(() => opened.close());
			return opened;
		},
	};
}

function fail(defender: Defender, times: number, address = ADDRESS): void {
	for (let turn = 0; turn < times; turn += 1) defender.report(address, 'login-failed');
}

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

test('the events of an address at two daemons are counted together', async (t) => {
	const { open } = await start(t, 'postgres');
	const [one, other] = [await open(), await open()];
	fail(one.sftp, 10);
	fail(other.sftp, 10);
	await one.beat();
	t.false(one.sftp.isBanned(ADDRESS));
	await other.beat();
	t.true(other.sftp.isBanned(ADDRESS), 'the sum shows who adds to it last');
	await one.beat();
	t.true(one.sftp.isBanned(ADDRESS));
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

for (const dialect of databases) {
	test(`${dialect}: scores and bans outlive the daemon`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const first = await open();
		fail(first.sftp, 20);
		fail(first.sftp, 19, '192.0.2.2');
		await first.close();
		const second = await open();
		t.true(second.sftp.isBanned(ADDRESS));
		fail(second.sftp, 1, '192.0.2.2');
		t.false(second.sftp.isBanned('192.0.2.2'));
		await second.beat();
		t.true(second.sftp.isBanned('192.0.2.2'));
		clock.turn(defaultDefenderSettings.banMs - 1);
		t.true((await open()).sftp.isBanned(ADDRESS));
		clock.turn(1);
		t.false((await open()).sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: a ban ends, and the address starts anew`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const { sftp, beat } = await open({ doors: { ...doors, sftp: { ...defaultDefenderSettings, banMs: 1000 } } });
		fail(sftp, 20);
		await beat();
		t.true(sftp.isBanned(ADDRESS));
		clock.turn(1000);
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 19);
		await beat();
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 1);
		t.true(sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: what happened longer ago than the window counts no more`, async (t) => {
		const { open, clock } = await start(t, dialect);
		const { sftp, beat } = await open();
		for (let turn = 0; turn < 4; turn += 1) {
			fail(sftp, 9);
			await beat();
			clock.turn(defaultDefenderSettings.windowMs);
		}
		t.false(sftp.isBanned(ADDRESS));
	});

	test(`${dialect}: while the database is away each daemon goes on with its own, says so once, and tells it later`, async (t) => {
		const { open, database, log, store } = await start(t, dialect);
		const { sftp, beat } = await open();
		await database.knex.schema.renameTable('defender_scores', 'away');
		fail(sftp, 19, '192.0.2.2');
		await beat();
		fail(sftp, 20);
		t.true(sftp.isBanned(ADDRESS));
		t.false(sftp.isBanned('192.0.2.2'));
		await beat();
		await beat();
		t.true(sftp.isBanned(ADDRESS));
		t.deepEqual(log, ['scores of addresses cannot be shared: this daemon goes on with its own']);
		await database.knex.schema.renameTable('away', 'defender_scores');
		await beat();
		t.deepEqual(log.slice(1), ['addresses were banned', 'scores of addresses are shared again']);
		t.deepEqual(
			(await store.findDecisions(0, 9)).map(({ address }) => address),
			[ADDRESS],
		);
		const { sftp: restarted, ...second } = await open();
		t.true(restarted.isBanned(ADDRESS));
		fail(restarted, 1, '192.0.2.2');
		await second.beat();
		t.true(restarted.isBanned('192.0.2.2'));
	});

	test(`${dialect}: a ban that is lifted ends at daemons that know it, and a new one stands`, async (t) => {
		const { open, clock, store } = await start(t, dialect);
		const { sftp, beat } = await open();
		fail(sftp, 20);
		await beat();
		clock.turn(10);
		t.deepEqual(await store.lift(ADDRESS, clock.now().getTime()), ['sftp']);
		t.deepEqual(await store.lift(ADDRESS, clock.now().getTime()), []);
		await beat();
		t.false(sftp.isBanned(ADDRESS));
		fail(sftp, 19);
		await beat();
		t.false(sftp.isBanned(ADDRESS), 'it starts anew');
		clock.turn(10);
		fail(sftp, 1);
		await beat();
		await beat();
		t.true(sftp.isBanned(ADDRESS));
	});
}

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

test('a flood of addresses is told in pieces, bans first, and forgotten from the oldest', async (t) => {
	const { open, database, queries } = await start(t, 'sqlite');
	const { sftp, beat } = await open({ doors: { ...doors, sftp: { ...defaultDefenderSettings, maxAddresses: 1200 } } });
	for (let index = 0; index < 2000; index += 1) fail(sftp, 1, `10.0.${index >> 8}.${index & 255}`);
	fail(sftp, 20);
	const rows = async () => Number((await database.knex('defender_scores').count('* as rows').first())?.rows);
	queries.length = 0;
	await beat();
	t.is(queries.length, 2, 'one statement to tell, one to hear');
	t.is(await rows(), 500);
	t.truthy(await database.knex('defender_scores').where({ address: ADDRESS }).first());
	for (let turn = 0; turn < 5; turn += 1) await beat();
	t.is(await rows(), 1200);
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
