import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { purgeScores, scoreStore } from '../../src/base/defender/score-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const WINDOW_MS = 1000;
const START_MS = 1_000_000;

async function openStore(t: ExecutionContext, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const store = scoreStore(database.knex);
	return {
		...{ database, store },
		/** Adds one report about one address, as soon as it is made. With an end of a ban, the report is a ban. */
		async add(points: number, atMs: number, bannedUntilMs = 0) {
			const report = { address: '192.0.2.1', points, sinceMs: atMs, bannedUntilMs };
			const [standing] = await store.add('sftp', [report], { nowMs: atMs, windowMs: WINDOW_MS });
			const { windowStartMs, current, previous, untilMs } = standing;
			return { windowStartMs, current, previous, untilMs };
		},
	};
}

for (const dialect of databases) {
	test(`${dialect}: reports of one window add up, and those of the window before are kept apart`, async (t) => {
		const { add } = await openStore(t, dialect);
		const first = { windowStartMs: START_MS, untilMs: 0 };
		t.deepEqual(await add(5, START_MS), { ...first, current: 5, previous: 0 });
		t.deepEqual(await add(7, START_MS + WINDOW_MS - 1), { ...first, current: 12, previous: 0 });
		// This report comes from a daemon whose clock is behind.
		t.deepEqual(await add(1, START_MS - 1), { ...first, current: 13, previous: 0 });
		const second = { windowStartMs: START_MS + WINDOW_MS, untilMs: 0 };
		t.deepEqual(await add(2, START_MS + WINDOW_MS), { ...second, current: 2, previous: 13 });
		const later = START_MS + 3 * WINDOW_MS;
		t.deepEqual(await add(3, later), { windowStartMs: later, untilMs: 0, current: 3, previous: 0 });
	});

	test(`${dialect}: a ban begins the score anew, and while it lasts nothing is added`, async (t) => {
		const { add } = await openStore(t, dialect);
		await add(90, START_MS);
		const banned = { windowStartMs: START_MS + 10, current: 0, previous: 0, untilMs: START_MS + 110 };
		t.deepEqual(await add(10, START_MS + 10, START_MS + 110), banned);
		t.deepEqual(await add(50, START_MS + 20), banned);
		t.deepEqual(await add(50, START_MS + 20, START_MS + 50), { ...banned, windowStartMs: START_MS + 20 });
		t.deepEqual(await add(5, START_MS + 110), { ...banned, windowStartMs: START_MS + 20, current: 5 });
	});

	test(`${dialect}: doors count apart`, async (t) => {
		const { store, add } = await openStore(t, dialect);
		await add(5, START_MS);
		const report = { address: '192.0.2.1', points: 1, sinceMs: START_MS, bannedUntilMs: 0 };
		const [standing] = await store.add('http', [report], { nowMs: START_MS, windowMs: WINDOW_MS });
		t.is(standing.current, 1);
	});

	test(`${dialect}: only decisions since a time are found, the latest, in their order`, async (t) => {
		const { store, add } = await openStore(t, dialect);
		await add(5, START_MS);
		t.deepEqual(await store.findDecisions(0, 10), []);
		for (const [index, address] of ['192.0.2.7', '192.0.2.8', '192.0.2.9'].entries()) {
			const report = { address, points: 0, sinceMs: START_MS, bannedUntilMs: START_MS + 100 };
			await store.add('http', [report], { nowMs: START_MS + index, windowMs: WINDOW_MS });
		}
		const found = async (sinceMs: number, limit = 10) =>
			(await store.findDecisions(sinceMs, limit)).map(({ door, address }) => `${door} ${address}`);
		t.deepEqual(await found(START_MS + 1), ['http 192.0.2.8', 'http 192.0.2.9']);
		t.deepEqual(await found(0, 2), ['http 192.0.2.8', 'http 192.0.2.9']);
	});

	test(`${dialect}: what counts no more is purged, and a ban not before its end`, async (t) => {
		const { database, store, add } = await openStore(t, dialect);
		await add(5, START_MS);
		const banned = { address: '192.0.2.2', points: 5, sinceMs: START_MS, bannedUntilMs: START_MS + 5 * WINDOW_MS };
		await store.add('sftp', [banned], { nowMs: START_MS, windowMs: WINDOW_MS });
		const purge = (atMs: number) => purgeScores({ database, clock: { now: () => new Date(atMs) } });
		t.is(await purge(START_MS + 2 * WINDOW_MS - 1), 0);
		t.is(await purge(START_MS + 2 * WINDOW_MS), 1);
		t.is(await purge(START_MS + 5 * WINDOW_MS - 1), 0);
		t.is(await purge(START_MS + 5 * WINDOW_MS), 1);
	});

	test(`${dialect}: five hundred addresses fit one statement, whatever is in them, and more go in pieces`, async (t) => {
		const { database, store } = await openStore(t, dialect);
		const reports = Array.from({ length: 500 }, (_, index) => ({
			...{ address: `${index}'?:a`, points: index, sinceMs: START_MS, bannedUntilMs: 0 },
		}));
		const standings = await store.add('sftp', reports, { nowMs: START_MS, windowMs: WINDOW_MS });
		t.deepEqual(new Map(standings.map(({ address, current }) => [address, current])).get(`499'?:a`), 499);
		t.is(standings.length, 500);
		const more = Array.from({ length: 2000 }, (_, index) => ({ ...reports[0], address: `more ${index}` }));
		for (let at = 0; at < more.length; at += 500) {
			await store.add('http', more.slice(at, at + 500), { nowMs: START_MS, windowMs: WINDOW_MS });
		}
		const clock = { now: () => new Date(START_MS + 2 * WINDOW_MS) };
		t.is(await purgeScores({ database, clock }), 2500);
	});
}

test('PostgreSQL: whatever daemons tell at the same time, the sums are those of what they told', async (t) => {
	const { store } = await openStore(t, 'postgres');
	const addresses = ['a', 'b', 'c', 'd'];
	const report = fc.record({ address: fc.constantFrom(...addresses), points: fc.integer({ min: 0, max: 20 }) });
	const batch = fc.uniqueArray(report, { selector: ({ address }) => address, maxLength: 4 });
	let round = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 6 }), async (batches) => {
			const prefix = `${++round}-`;
			const sums = new Map<string, number>();
			for (const { address, points } of batches.flat()) sums.set(address, (sums.get(address) ?? 0) + points);
			const tell = (points: (given: number) => number) =>
				Promise.all(
					batches.map((reports) =>
						store.add(
							'sftp',
							reports.map((each) => ({
								...{ address: prefix + each.address, points: points(each.points) },
								...{ sinceMs: START_MS, bannedUntilMs: 0 },
							})),
							{ nowMs: START_MS, windowMs: WINDOW_MS },
						),
					),
				);
			await tell((given) => given);
			const known = (await tell(() => 0)).flat();
			for (const { address, current } of known) t.is(current, sums.get(address.slice(prefix.length))!);
		}),
		{ numRuns: 30 },
	);
});
