// Those tests of crashes.test.ts that take long.

import test from 'ava';
import { databases } from '../helpers/database.ts';
import { NUMBER } from '../helpers/engine-double.ts';
import { openJobRooms } from '../helpers/job-rooms.ts';
import { dieWith } from './crashes.setup.ts';

for (const dialect of databases) {
	test(`${dialect}: jobs whose daemon is killed every twenty seconds, six times, are all done in the end`, async (t) => {
		const rooms = await openJobRooms(t, dialect, { maxAttempts: 2 });
		const jobs = [];
		for (let nth = 0; nth < 4; nth++) jobs.push(await rooms.put(`f${nth}`, `${NUMBER}\n`));
		const from = Date.now() - 3_600_000;
		for (let nth = 0; nth < 6; nth++)
			await dieWith(rooms, dialect, `dead${nth}`, { most: 2, now: from + nth * 20_000 });
		rooms.startPool();
		for (const { id } of jobs) t.is((await rooms.ended(id)).state, 'done');
	});
}

test('while a job runs that must be alone, no other one begins, and all are done in the end', async (t) => {
	const rooms = await openJobRooms(t);
	const alone = await rooms.put('alone', `${NUMBER} #slow\n`.repeat(3));
	await rooms.database.knex('jobs').where({ id: alone.id }).update({ attempts: 2, crashes: 2 });
	const others = [await rooms.put('a', `${NUMBER} #slow\n`), await rooms.put('b', `${NUMBER}\n`)];
	rooms.startPool();
	const { finished_at } = await rooms.ended(alone.id);
	for (const { id } of others) t.true((await rooms.ended(id)).started_at! >= finished_at!);
});
