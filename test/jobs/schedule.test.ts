import test from 'ava';
import { openSchedule, runFire } from '../../src/doors/schedule/schedule.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

for (const dialect of databases) {
	test(`${dialect}: a fire is run by one daemon alone, the next one again`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const runs: string[] = [];
		const fire = (daemonId: string, second: number) => {
			const task = { name: 'sweep', cron: '* * * * *', run: async () => runs.push(`${daemonId} ${second}`) };
			const date = new Date(1_700_000_000_000 + second * 1000 + runs.length);
			return runFire({ database, daemonId, tasks: [task] }, task, date);
		};
		const first = await Promise.all([fire('one', 0), fire('two', 0), fire('three', 0)]);
		t.deepEqual(first.filter(Boolean).length, 1);
		t.is(runs.length, 1);
		t.true(await fire('two', 60));
		t.false(await fire('one', 60));
		t.is(runs.length, 2);
	});
}

test('a task that fails is noted and harms nothing', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const errors: object[] = [];
	const logger = { info: () => {}, warn: () => {}, error: (details: object) => errors.push(details) };
	const run = async () => {
		throw new Error('broken');
	};
	const task = { name: 'broken', cron: '* * * * *', run };
	t.true(await runFire({ database, daemonId: 'one', tasks: [task], logger }, task, new Date(0)));
	t.like(errors[0], { task: 'broken' });
	t.is((await database.knex('schedule_runs').first()).outcome, 'failed');
});

test('a wrong expression is refused at once', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const tasks = [{ name: 'odd', cron: 'every now and then', run: async () => {} }];
	t.throws(() => openSchedule({ database, daemonId: 'one', tasks }), { message: /odd.*not a cron expression/ });
});
