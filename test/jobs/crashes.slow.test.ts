// Those tests of crashes.test.ts that take long.

import test from 'ava';
import { databases } from '../helpers/database.ts';
import { NUMBER } from '../helpers/engine-double.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { dieWith } from './crashes.setup.ts';

for (const dialect of databases) {
	test(`${dialect}: jobs whose daemon is killed every twenty seconds, six times, are all done in the end`, async (t) => {
		const parts = await openJobParts(t, dialect, { maxAttempts: 2 });
		const jobs = [];
		for (let nth = 0; nth < 4; nth++) jobs.push(await parts.put(`f${nth}`, `${NUMBER}\n`));
		const from = Date.now() - 3_600_000;
		for (let nth = 0; nth < 6; nth++)
			await dieWith(parts, dialect, `dead${nth}`, { most: 2, now: from + nth * 20_000 });
		parts.startPool();
		for (const { id } of jobs) t.is((await parts.ended(id)).state, 'done');
	});
}

test('while a job runs that must be alone, no other one begins, and all are done in the end', async (t) => {
	const parts = await openJobParts(t);
	const alone = await parts.put('alone', `${NUMBER} #slow\n`.repeat(3));
	await parts.database.knex('jobs').where({ id: alone.id }).update({ attempts: 2, crashes: 2 });
	const others = [await parts.put('a', `${NUMBER} #slow\n`), await parts.put('b', `${NUMBER}\n`)];
	parts.startPool();
	const { finished_at } = await parts.ended(alone.id);
	for (const { id } of others) t.true((await parts.ended(id)).started_at! >= finished_at!);
});
