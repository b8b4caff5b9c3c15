// A daemon whose clock is wrong would take jobs of others and delete what is not due. It does not start, and one whose
// clock goes wrong later begins no new work until the clock is right again.

import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openClockWatch } from '../../src/app/watches/clock-watch.ts';
import type { Database } from '../../src/base/database/open.ts';
import type { PostgresConnection } from '../../src/base/database/sql.ts';
import { runFire } from '../../src/doors/schedule/schedule.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const HOUR_MS = 3_600_000;
const quietLogger = { info: () => {}, warn: () => {}, error: () => {} };

for (const [title, wrongMs] of [
	['ahead', HOUR_MS],
	['behind', -HOUR_MS],
] as const) {
	test(`a daemon whose clock is an hour ${title} of the database does not start`, async (t) => {
		const database = await openTestDatabase(t, 'postgres');
		const clock = { now: () => new Date(Date.now() + wrongMs) };
		const opening = openClockWatch({ database, clock, logger: quietLogger, leaseMs: 15_000 });
		const { message } = await t.throwsAsync(opening);
		t.regex(message, new RegExp(`clock of this machine is 3\\d{3} s ${title}`));
		t.regex(message, /NTP/);
	});
}

test('a daemon whose clock is right starts on PostgreSQL, and on SQLite with any clock', async (t) => {
	for (const dialect of databases) {
		const database = await openTestDatabase(t, dialect);
		const clock = { now: () => new Date(Date.now() + (dialect === 'sqlite' ? HOUR_MS : 0)) };
		const watch = await openClockWatch({ database, clock, logger: quietLogger, leaseMs: 15_000 });
		t.true(watch.isRight(), dialect);
		t.is(watch.warning(), undefined);
		watch.close();
	}
});

test('a daemon whose database answers slowly is not taken for one with a wrong clock', async (t) => {
	const { knex, dialect } = await openTestDatabase(t, 'postgres');
	const slow = {
		client: {
			async acquireConnection() {
				const connection: PostgresConnection = await knex.client.acquireConnection();
				return {
					connection,
					async query(statement: Parameters<PostgresConnection['query']>[0]) {
						await sleep(400);
						const answer = await connection.query(statement);
						await sleep(100);
						return answer;
					},
				};
			},
			releaseConnection: ({ connection }: { connection: PostgresConnection }) =>
				knex.client.releaseConnection(connection),
		},
	};
	const database = { knex: slow, dialect } as unknown as Database;
	const options = { database, logger: quietLogger, leaseMs: 300 };
	const watch = await openClockWatch({ ...options, clock: { now: () => new Date() } });
	t.true(watch.isRight());
	watch.close();
	const behind = { now: () => new Date(Date.now() - 1_000) };
	await t.throwsAsync(openClockWatch({ ...options, clock: behind }), { message: /behind that of the database/ });
});

test('a clock that goes wrong while the daemon runs is told, stops its tasks, and lets them go on when it is right', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	let wrongMs = 0;
	const clock = { now: () => new Date(Date.now() + wrongMs) };
	const lines: string[] = [];
	const note = (_: object, message: string) => void lines.push(message);
	const logger = { info: note, warn: note, error: note };
	const watch = await openClockWatch({ database, clock, logger, leaseMs: 15_000, everyMs: 10 });
	t.teardown(() => watch.close());
	let runs = 0;
	const task = { name: 'retention', cron: '* * * * *', run: async () => ++runs };
	const options = { database, daemonId: 'one', tasks: [task], mayRun: () => watch.isRight() };
	wrongMs = -HOUR_MS;
	while (watch.isRight()) await sleep(5);
	t.false(await runFire(options, task, new Date(1000)));
	t.regex(watch.warning()!, /3\d{3} s behind/);
	wrongMs = 0;
	while (!watch.isRight()) await sleep(5);
	t.true(await runFire(options, task, new Date(1000)), 'the run was left to whoever claims it');
	t.is(runs, 1);
	t.is(watch.warning(), undefined);
	t.deepEqual(
		lines.map((line) => /begins no|works again/.exec(line)?.[0]),
		['begins no', 'works again'],
	);
});
