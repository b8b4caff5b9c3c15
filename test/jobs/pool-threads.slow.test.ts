// Tests how many threads a pool starts and keeps, because each takes some 60 MB.

import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { WorkerSlot } from '../../src/work/jobs/queue/worker-slot.ts';
import { MARKS, NUMBER } from '../helpers/engine-double.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { until } from '../helpers/until.ts';

const SLOW = `${NUMBER} ${MARKS.slow}\n`.repeat(20);
const LARGE = `${NUMBER} ${'x'.repeat(300_000)}\n`;

/** Counts the threads that this process starts from now on, and those of them that still run. */
function countThreads(t: ExecutionContext): { started: number; running: number } {
	const counts = { started: 0, running: 0 };
	const note = (worker: Worker) => {
		counts.started += 1;
		counts.running += 1;
		worker.once('exit', () => void (counts.running -= 1));
	};
	process.on('worker', note);
	t.teardown(() => process.off('worker', note));
	return counts;
}

test.serial(
	'small files that come while another is processed run in its thread, and start no second one',
	async (t) => {
		const threads = countThreads(t);
		const parts = await openJobParts(t);
		const pool = parts.startPool();
		const jobs = [await parts.put('a', SLOW)];
		await until('the first runs', () => pool.runningJobs.length === 1);
		for (const name of ['b', 'c']) jobs.push(await parts.put(name, SLOW));
		await until('three run at once', () => pool.runningJobs.length === 3);
		for (const { id } of jobs) t.is((await parts.ended(id)).state, 'done');
		t.is(threads.started, 1);
	},
);

test.serial('of two threads that wait for a job one ends, and the other runs the next one', async (t) => {
	const threads = countThreads(t);
	const parts = await openJobParts(t);
	const pool = parts.startPool({ spareThreadMs: 50 });
	const small = await parts.put('small', SLOW);
	await until('it runs', () => pool.runningJobs.length === 1);
	const large = await parts.put('large', LARGE);
	for (const { id } of [small, large]) t.is((await parts.ended(id)).state, 'done');
	t.is(threads.started, 2, 'the large file has not waited for the small one');
	await until('one thread is left', () => threads.running === 1);
	pool.prepare();
	t.is((await parts.ended((await parts.put('next', LARGE)).id)).state, 'done');
	t.is(threads.started, 2);
});

test.serial('forty small files run in two threads, and no more than sixteen in each at once', async (t) => {
	const parts = await openJobParts(t);
	const jobs = [];
	for (let n = 0; n < 40; n++) jobs.push(await parts.put(`f${n}`, `${NUMBER} ${MARKS.slow}\n`.repeat(5)));
	const threads = countThreads(t);
	const pool = parts.startPool();
	let most = 0;
	await until('all of them end', async () => {
		most = Math.max(most, pool.runningJobs.length);
		return (await parts.files('tokenized')).length === 40;
	});
	t.is(threads.started, 2);
	t.true(most <= 32, `${most} at once`);
});

test.serial('a job that begins again before its last attempt is heard to have ended waits for that', async (t) => {
	const parts = await openJobParts(t);
	await parts.put('bad', `${MARKS.bad}\n`);
	const job = (await parts.claim())!;
	const workerModule = new URL('../helpers/worker-parts.ts', import.meta.url).href;
	const slot = new WorkerSlot({ workerModule, setup: parts.setup });
	t.teardown(() => slot.close());
	const [first, second] = await Promise.all([slot.run(job), slot.run(job)]);
	t.is(first.state, 'failed');
	t.is(second.state, 'lost', 'the job has ended');
	t.deepEqual(slot.running, []);
});
