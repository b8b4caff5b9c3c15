// Those tests of schedule.test.ts that take long.

import test from 'ava';
import { openSchedule } from '../../src/doors/schedule/schedule.ts';
import { openTestDatabase } from '../helpers/database.ts';

test('the clock runs tasks every second, and closing waits for them', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	let begun = 0;
	let ended = 0;
	const run = async () => {
		begun += 1;
		await new Promise((resolve) => setTimeout(resolve, 300));
		ended += 1;
	};
	const schedule = openSchedule({ database, daemonId: 'one', tasks: [{ name: 'tick', cron: '* * * * * *', run }] });
	while (begun === 0) await new Promise((resolve) => setTimeout(resolve, 20));
	await schedule.close();
	t.is(ended, begun);
	const seen = begun;
	await new Promise((resolve) => setTimeout(resolve, 1_500));
	t.is(begun, seen);
});
