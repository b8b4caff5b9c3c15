import test from 'ava';
import { afterCrash } from '../../src/work/jobs/queue/crashes.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { databases } from '../helpers/database.ts';
import { NUMBER } from '../helpers/engine-double.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { dieWith, waitMs } from './crashes.setup.ts';

for (const dialect of databases) {
	test(`${dialect}: a file that was alone at three deaths of its daemon fails with that reason, and can be retried`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const job = await parts.put('deadly', `${NUMBER}\n`);
		for (let nth = 0; nth < 3; nth++)
			t.deepEqual(await dieWith(parts, dialect, `${nth}`, { most: 1, waitMs }), ['deadly']);
		t.like(await parts.job(job.id), { crashes: 3, crashes_alone: 3, last_reason: 'daemon-gone' });
		const pool = parts.startPool({ workers: 1 });
		const failed = await parts.ended(job.id);
		t.like(failed, { state: 'failed', error_reason: 'kills-the-worker' });
		t.regex(failed.error_message!, /died 3 times/);
		t.is((await parts.files('tokenize'))[0].state, 'failed', 'the input is kept');
		t.deepEqual(await parts.files('tokenized'), []);
		t.true(await parts.intake.retry(failed));
		pool.wake();
		t.like(await parts.ended(job.id), { state: 'done', attempts: 1, crashes: 0, crashes_alone: 0 });
	});

	test(`${dialect}: a job that died twice beside others is begun when no other runs, which shows the one that kills`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const [deadly, good] = [await parts.put('deadly', `${NUMBER}\n`), await parts.put('good', `${NUMBER}\n`)];
		for (const id of ['1', '2'])
			t.deepEqual(await dieWith(parts, dialect, id, { most: 2, waitMs }), ['deadly', 'good']);
		for (const { id } of [deadly, good]) t.like(await parts.job(id), { crashes: 2, crashes_alone: 0 });
		for (const id of ['3', '4', '5']) t.deepEqual(await dieWith(parts, dialect, id, { most: 2, waitMs }), ['deadly']);
		t.like(await parts.job(deadly.id), { crashes: 5, crashes_alone: 3 });
		parts.startPool();
		t.like(await parts.ended(deadly.id), { state: 'failed', error_reason: 'kills-the-worker' });
		t.like(await parts.ended(good.id), { state: 'done', crashes: 2 });
	});

	test(`${dialect}: an attempt whose end a living daemon could not record is no crash`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const job = await parts.put('may.csv', `${NUMBER}\n`);
		await parts.claim('alive');
		const queue = queueStore(parts.database.knex, dialect);
		t.deepEqual(await queue.requeueExpired(Date.now() + 100_000, Date.now(), { ownId: 'alive' }), [job.id]);
		t.like(await parts.job(job.id), { attempts: 1, crashes: 0, last_reason: 'database-unavailable' });
	});
}

test('after the first crash a job is tried again at once, then after growing waits, and after the last not at all', (t) => {
	const waits = (crashes: number, alone: number, isAlone: boolean) =>
		afterCrash({ crashes, crashes_alone: alone }, isAlone, 0).next_run_at;
	t.deepEqual(
		[0, 1, 2, 3, 4, 5].map((crashes) => waits(crashes, 0, false)),
		[0, 5_000, 20_000, 80_000, 300_000, 300_000],
	);
	t.is(waits(2, 1, true), 20_000);
	t.is(waits(2, 2, true), 0, 'the next claim ends it as failed');
});
