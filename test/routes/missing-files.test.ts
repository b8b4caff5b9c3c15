import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { checkExpectations } from '../../src/work/routes/alarms/missing-files.ts';
import { openRoutes } from '../../src/work/routes/routes.ts';
import { expectedTimes } from '../../src/work/routes/times/next-run-at.ts';
import { openBegunDatabase } from '../helpers/begun-database.ts';
import { databases } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const OWNER = { accountId: 7 as AccountId, ownerId: 7 as AccountId, userId: 'agency' };
const EXPECT = { files: 2, by: '06:00', days: '1-5', timeZone: 'Europe/Berlin' };
const HOUR = 3_600_000;

async function openAlarms(t: ExecutionContext, dialect: Dialect) {
	// A Monday, 04:00 in Berlin.
	const clock = turnableClock(new Date('2026-06-01T02:00:00Z'));
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const audit = await openAudit({ database, keyRing, clock });
	const destinations = { list: async () => [] };
	const routes = openRoutes({ database, keyRing, audit, clock, formats, folders: [], destinations });
	const ends = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
	const document = { name: 'r', ...ends, expect: EXPECT };
	const { row } = await routes.put(OWNER, await routes.read(OWNER, JSON.stringify(document)), 'operator test');
	const told: string[] = [];
	const details: Readonly<Record<string, unknown>>[] = [];
	const look = async (hours = 0) => {
		clock.turn(hours * HOUR);
		told.length = 0;
		await checkExpectations({
			...{ database, audit, clock, accounts: { findById: async () => ({ userId: 'agency' }) as never } },
			teller: {
				async tell(_, type, { details: given }) {
					details.push(given);
					const { came, why } = given;
					told.push([type, `${came} came`, ...(why ? [String(why)] : [])].join(': '));
				},
			},
		});
		return [...told];
	};
	let nth = 0;
	const come = async (changes: object = {}) => {
		const now = clock.now().getTime();
		const file = { path: `${nth++}`, size: 1, modified_at: 0, seen_at: 0 };
		const done = { state: 'done', delivered_at: now, ended_at: now };
		await database.knex('route_files').insert({ route_id: row.id, ...file, ...done, ...changes });
	};
	const putAgain = async (more: object) => {
		const changed = JSON.stringify({ ...document, ...more });
		return routes.put(OWNER, await routes.read(OWNER, changed), 'operator test');
	};
	return { database, routes, row, look, come, putAgain, details };
}

for (const dialect of databases) {
	test(`${dialect}: an alarm is raised once for files that did not come, says why, and is cleared when they do`, async (t) => {
		const { look, come, routes, database, details } = await openAlarms(t, dialect);
		await come();
		t.deepEqual(await look(1.9), [], 'it is not six yet');
		t.deepEqual(await look(0.2), ['route.file_missing: 1 came: the route has not run yet']);
		t.deepEqual(await look(1), [], 'once');
		await come();
		t.deepEqual(await look(1), ['route.file_came: 2 came']);
		t.deepEqual(await look(1), []);
		// The next day has files of its own to wait for.
		await routes.pause(OWNER, 'r', 'operator test');
		t.deepEqual(await look(21.5), ['route.file_missing: 0 came: the route is paused']);
		await come();
		await come();
		t.deepEqual(await look(0.1), ['route.file_came: 2 came']);
		t.deepEqual(await look(1), []);
		await come();
		await come();
		t.deepEqual(await look(23), [], 'they came in time');
		t.deepEqual(await look(24), ['route.file_missing: 0 came: the route is paused']);
		const [monday, tuesday, thursday] = ['06-01', '06-02', '06-04'].map((day) => `2026-${day}T04:00:00.000Z`);
		t.deepEqual(
			details.map(({ by }) => by),
			[monday, monday, tuesday, tuesday, thursday],
			'files that come late are those of the time that was told',
		);
		const actions = await database.knex('audit').where('action', 'like', 'route.file_%').orderBy('seq').pluck('action');
		t.deepEqual(actions, [
			'route.file_missing',
			'route.file_came',
			'route.file_missing',
			'route.file_came',
			'route.file_missing',
		]);
	});

	test(`${dialect}: an alarm waits for what is delivered, and for nothing else`, async (t) => {
		const { look, come } = await openAlarms(t, dialect);
		await come({ delivered_at: null });
		await come({ state: 'dead', delivered_at: null });
		t.deepEqual(await look(3), ['route.file_missing: 0 came: the route has not run yet']);
		// What is delivered has come, also while its source cannot be cleared up.
		await come({ state: 'claimed', ended_at: null });
		await come({ delivered_at: null });
		t.deepEqual(await look(1), []);
		await come();
		t.deepEqual(await look(1), ['route.file_came: 2 came']);
	});

	test(`${dialect}: an alarm stands while the route is changed, and is cleared when the files come`, async (t) => {
		const { look, come, putAgain, database } = await openAlarms(t, dialect);
		t.deepEqual(await look(3), ['route.file_missing: 0 came: the route has not run yet']);
		await putAgain({ from: { drop: '/tokenized/CSV' }, to: { drop: '/tokenized/GBT' } });
		t.deepEqual(await look(1), []);
		await come();
		await come();
		t.deepEqual(await look(1), ['route.file_came: 2 came']);
		t.deepEqual(await look(21.5), ['route.file_missing: 0 came: the route has not run yet']);
		// Who expects other files begins anew.
		await putAgain({ expect: { ...EXPECT, files: 3 } });
		const [{ missing_since }] = await database.knex('routes');
		t.is(missing_since, null);
	});

	test(`${dialect}: an alarm says that a route is stopped or that its run failed, and several daemons raise it once`, async (t) => {
		const { look, database, row } = await openAlarms(t, dialect);
		const run = {
			id: 'a',
			route_id: row.id,
			account_id: 7,
			trigger: 'cron',
			state: 'failed',
			started_at: 0,
			ended_at: 1,
		};
		await database.knex('route_runs').insert({ ...run, reason: 'host: the connection was refused' });
		t.deepEqual(await look(3), ['route.file_missing: 0 came: its last run failed: host: the connection was refused']);
		await database.knex('routes').update({ stopped_reason: 'host: the key was not accepted' });
		t.deepEqual(await look(24), ['route.file_missing: 0 came: the route is stopped: host: the key was not accepted']);
		const both = await Promise.all([look(24), look(0)]);
		t.true(both.flat().length <= 2);
		t.is((await database.knex('audit').where({ action: 'route.file_missing' })).length, 3, 'the third time, too, once');
	});
}

test('files count from the time before: Monday waits for what came since Friday', (t) => {
	const expect = { files: 1, byMinutes: 360, days: [1, 2, 3, 4, 5], timeZone: 'Europe/Berlin' };
	const { at, from } = expectedTimes(expect, new Date('2026-06-01T02:00:00Z'));
	t.is(new Date(at).toISOString(), '2026-06-01T04:00:00.000Z');
	t.is(new Date(from).toISOString(), '2026-05-29T04:00:00.000Z');
});
