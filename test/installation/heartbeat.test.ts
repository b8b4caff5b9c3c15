// A daemon says that it runs, and says when it was stopped. One that was killed falls silent.

import test from 'ava';
import { daemonStore } from '../../src/installation/daemons/daemon-store.ts';
import { listRunning, openHeartbeat, SILENT_MS } from '../../src/installation/daemons/heartbeat.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';

const quiet = { warn() {} };
const self = (id: string) => ({ id, version: '0.1.0', knows: '0014-daemons.expand' });

for (const dialect of coreDatabases) {
	test(`${dialect}: a daemon runs from its first sign to its stop`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		let nowMs = 1_000_000;
		const clock = { now: () => new Date(nowMs) };
		const one = await openHeartbeat({ database, clock, logger: quiet, everyMs: 5 }, self('one'));
		const running = async () => (await listRunning(database, nowMs)).map(({ id }) => id);
		t.deepEqual(await running(), ['one']);
		nowMs += SILENT_MS * 3;
		await until('a later sign', async () => (await running()).length === 1);
		await one.close();
		t.deepEqual(await running(), [], 'a daemon that was stopped does not run');
		t.like(await daemonStore(database.knex).findLast(), { id: 'one', started_at: 1_000_000, ended_at: nowMs });
	});

	test(`${dialect}: a daemon that was killed runs no more once it is silent, and is forgotten after a month`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const store = daemonStore(database.knex);
		await store.sign({ ...self('killed'), started_at: 1, seen_at: 1 });
		t.is((await listRunning(database, SILENT_MS + 1)).length, 1);
		t.deepEqual(await listRunning(database, SILENT_MS + 2), []);
		const clock = { now: () => new Date(31 * 86_400_000) };
		await (await openHeartbeat({ database, clock, logger: quiet }, self('two'))).close();
		t.deepEqual(
			(await store.list(0)).map(({ id }) => id),
			['two'],
		);
	});
}

test('a sign that cannot be written is logged, and does not end the daemon or keep it from stopping', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const said: string[] = [];
	const logger = { warn: (_: object, message: string) => void said.push(message) };
	const clock = { now: () => new Date() };
	const one = await openHeartbeat({ database, clock, logger, everyMs: 5 }, self('one'));
	await database.knex.schema.dropTable('daemons');
	await until('a line of the log', async () => said.length > 0);
	t.regex(said[0], /sign that this daemon runs/);
	await t.notThrowsAsync(one.close());
});
