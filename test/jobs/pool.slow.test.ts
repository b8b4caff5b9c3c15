import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { until } from '../helpers/until.ts';

for (const dialect of databases) {
	test(`${dialect}: threads work the queue off, progress is shown, and a pool is idle in the end`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const jobs = [];
		for (let i = 0; i < 6; i++) jobs.push(await parts.put(`f${i}`, `${NUMBER} ${i}\n`));
		const bad = await parts.put('bad', `${MARKS.bad}\n`);
		const settled: string[] = [];
		const pool = parts.startPool({ onSettled: (id, state) => settled.push(`${id} ${state}`) });
		for (const { id } of jobs) t.is((await parts.ended(id)).state, 'done');
		t.is((await parts.ended(bad.id)).error_reason, 'file-malformed');
		await until('every end is told', () => settled.length === 7 && pool.runningJobs.length === 0);
		const outputs = await parts.files('tokenized');
		t.is(outputs.length, 6);
		for (const output of outputs) t.is(await parts.read(output), `${TOKEN} ${output.name.slice(1)}\n`);
	});

	test(`${dialect}: two pools on one database run each job once`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const settled: string[] = [];
		const onSettled = (id: string, state: string) => settled.push(`${id} ${state}`);
		const one = parts.startPool({ daemonId: 'one', workers: 1, onSettled });
		const two = parts.startPool({ daemonId: 'two', workers: 1, onSettled });
		const jobs = [];
		for (let i = 0; i < 12; i++) {
			jobs.push(await parts.put(`f${i}`, `${NUMBER}\n`));
			one.wake();
			two.wake();
		}
		for (const { id } of jobs) await parts.ended(id);
		const isIdle = () => one.runningJobs.length + two.runningJobs.length === 0;
		await until('every end is told', () => settled.length >= 12 && isIdle());
		t.deepEqual(settled.sort(), jobs.map(({ id }) => `${id} done`).sort());
		t.is((await parts.database.knex('engine_pages')).length, 12);
	});

	test(`${dialect}: a file that kills its thread fails with that reason, the thread is replaced, and no other job is harmed`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const crash = await parts.put('crash', `${MARKS.crash}\n`);
		const good = await parts.put('good', `${NUMBER}\n`);
		parts.startPool({ workers: 1 });
		t.is((await parts.ended(good.id)).state, 'done');
		const failed = await parts.ended(crash.id);
		t.like(failed, { state: 'failed', crashes_alone: 3, error_reason: 'kills-the-worker', last_reason: 'worker-gone' });
		t.is((await parts.files('reports')).length, 4, 'under its own name and as the latest, each');
		t.is((await parts.files('tokenize'))[0].state, 'failed');
	});
}

test('jobs of small files share a thread, and a large file waits for one of its own without being passed over', async (t) => {
	const parts = await openJobParts(t);
	const slow = (name: string) => parts.put(name, `${NUMBER} ${MARKS.slow}\n`.repeat(20));
	const small = [await slow('a'), await slow('b'), await slow('c')];
	const large = await parts.put('large', `${NUMBER} ${'x'.repeat(300_000)}\n`);
	const later = await slow('later');
	const pool = parts.startPool({ workers: 1 });
	await until('three run at once', () => pool.runningJobs.length === 3);
	t.deepEqual(pool.runningJobs.toSorted(), small.map(({ id }) => id).toSorted());
	t.is((await parts.job(later.id)).state, 'queued', 'the large one is before it');
	for (const { id } of [...small, large, later]) t.is((await parts.ended(id)).state, 'done');
	const [largeRow, laterRow] = [await parts.job(large.id), await parts.job(later.id)];
	t.true(laterRow.started_at! >= largeRow.finished_at!);
	for (const { id } of small) t.true((await parts.job(id)).finished_at! <= largeRow.started_at!);
});

test('a file that kills its thread takes the files beside it along only once', async (t) => {
	const parts = await openJobParts(t, 'sqlite', { maxAttempts: 3 });
	const beside = [];
	for (const name of ['a', 'b', 'c']) beside.push(await parts.put(name, `${NUMBER} ${MARKS.slow}\n`.repeat(20)));
	const crash = await parts.put('crash', `${MARKS.crash}\n`);
	parts.startPool({ workers: 1 });
	t.like(await parts.ended(crash.id), { state: 'failed', crashes: 4, crashes_alone: 3 });
	for (const { id } of beside) t.like(await parts.ended(id), { state: 'done', crashes: 1, crashes_alone: 0 });
	const pages = parts.database.knex('engine_pages').whereIn(
		'job_id',
		beside.map(({ id }) => id),
	);
	t.is((await pages).length, 3, 'what the first attempts stored is dropped');
});

test('a file starts at once, and small files that follow it closely start together', async (t) => {
	const parts = await openJobParts(t);
	const pool = parts.startPool({ pollMs: 3_600_000 });
	const { database, drops } = parts;
	const intake = openIntake({ database, drops, onAccepted: () => pool.wake() });
	const accept = async (name: string) => {
		const folder = { accountId: 7 as AccountId, area: 'tokenize', filter: 'GBT' } as const;
		const upload = await drops.begin({ folder, name, createdBy: 'alice' });
		await upload.write(0, Buffer.from(`${NUMBER}\n`));
		return intake.accept(upload);
	};
	const first = await accept('first');
	while ((await parts.job(first.id))!.started_at === null) await new Promise((resolve) => setTimeout(resolve, 1));
	const others = await Promise.all(['a', 'b', 'c'].map(accept));
	const startedAt = await Promise.all(others.map(async ({ id }) => (await parts.ended(id)).started_at));
	t.is(new Set(startedAt).size, 1);
	t.true(startedAt[0]! > (await parts.job(first.id))!.started_at!);
});

test('a job that is retried starts at once, however seldom the queue is looked at', async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('bad', `${MARKS.bad}\n`);
	const settled = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
	let ended = 0;
	const pool = parts.startPool({ pollMs: 3_600_000, onSettled: (_, state) => settled[ended++].resolve(state) });
	t.is(await settled[0].promise, 'failed');
	const { database, drops } = parts;
	const intake = openIntake({ database, drops, onAccepted: () => pool.wake() });
	t.true(await intake.retry(await parts.job(id)));
	t.false(await intake.retry(await parts.job(id)), 'it is under way');
	t.is(await settled[1].promise, 'failed');
});

test('a bug ends its thread, and the next attempt gets a fresh one', async (t) => {
	const parts = await openJobParts(t);
	const bug = await parts.put('bug', `${MARKS.bug}\n`);
	const pool = parts.startPool({ workers: 1 });
	t.like(await parts.ended(bug.id), { state: 'failed', attempts: 3 });
	const good = await parts.put('good', `${NUMBER}\n`);
	pool.wake();
	t.is((await parts.ended(good.id)).state, 'done');
});

test('a job whose end could not be recorded is put back when the database answers again, not when its lease ends', async (t) => {
	const parts = await openJobParts(t);
	const { knex } = parts.database;
	await knex.raw(`create trigger away before update of state on jobs when new.state <> 'running'
		begin select raise(abort, 'the database is away'); end`);
	const { id } = await parts.put('bug', `${MARKS.bug}\n`);
	const failed = Promise.withResolvers<void>();
	const error = (_: object, message: string) => message === 'attempt could not be settled' && failed.resolve();
	parts.startPool({ leaseMs: 900, logger: { info() {}, warn() {}, error } });
	await failed.promise;
	// Recording a failure extends the lease by a minute, which is longer than `ended` waits.
	t.true((await parts.job(id)).lease_until! > Date.now() + 45_000);
	await knex.raw('drop trigger away');
	t.like(await parts.ended(id), { state: 'failed', attempts: 3 });
});

test('closing cuts off what takes too long and costs it no attempt', async (t) => {
	const parts = await openJobParts(t);
	const slow = await parts.put('slow', `${NUMBER} ${MARKS.slow}\n`.repeat(200));
	const pool = parts.startPool();
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await new Promise((resolve) => setTimeout(resolve, 400));
	await pool.close(50);
	t.like(await parts.job(slow.id), { state: 'queued', attempts: 0, claimed_by: null });
	t.deepEqual(await parts.files('tokenized'), []);
});

test('closing waits for what ends in time', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('short', `${NUMBER} ${MARKS.slow}\n`.repeat(3));
	const pool = parts.startPool();
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await pool.close(60_000);
	t.is((await parts.job(job.id)).state, 'done');
});

test('leases of long jobs are renewed, progress is written, and a silent daemon loses its jobs', async (t) => {
	const parts = await openJobParts(t);
	const lost = await parts.put('lost', `${NUMBER}\n`);
	await parts.claim('dead');
	await parts.database
		.knex('jobs')
		.where({ id: lost.id })
		.update({ lease_until: Date.now() - 1 });
	// The file has two frames of clear bytes, so that there is progress to show before the end.
	const slow = await parts.put('slow', `${NUMBER} ${'x'.repeat(9_000)} ${MARKS.slow}\n`.repeat(22));
	parts.startPool({ leaseMs: 600 });
	t.is((await parts.ended(lost.id)).attempts, 2);
	let shown = 0;
	for (;;) {
		const job = await parts.job(slow.id);
		if (job.state === 'done') break;
		shown = Math.max(shown, job.bytes_read);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	t.is((await parts.job(slow.id)).attempts, 1);
	t.true(shown > 0 && shown < slow.bytes_total, `${shown}`);
});

test('an attempt whose lease was given away is cut off', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('slow', `${NUMBER} ${MARKS.slow}\n`.repeat(100));
	const pool = parts.startPool({ leaseMs: 300, workers: 1 });
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await parts.database
		.knex('jobs')
		.where({ id: job.id })
		.update({ claimed_by: 'other', attempts: 2, lease_until: Date.now() + 60_000 });
	const startedAt = Date.now();
	while (pool.runningJobs.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
	t.true(Date.now() - startedAt < 5_000);
	t.like(await parts.job(job.id), { state: 'running', claimed_by: 'other', attempts: 2 });
});

test('a failed job that is retried runs again in the pool', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('bad', `${MARKS.bad}\n`);
	const pool = parts.startPool();
	const failed = await parts.ended(job.id);
	t.true(await requeueFailed(parts.database, failed, Date.now()));
	pool.wake();
	t.like(await parts.ended(job.id), { state: 'failed', attempts: 1 });
});

test('a pool that may not begin jobs neither claims any nor takes over those of others', async (t) => {
	const parts = await openJobParts(t);
	const waiting = await parts.put('waiting', `${NUMBER}\n`);
	const silent = await parts.put('silent', `${NUMBER}\n`);
	const { knex } = parts.database;
	await knex('jobs').where({ id: silent.id }).update({ state: 'running', claimed_by: 'gone', lease_until: 1 });
	let mayBegin = false;
	const asked: boolean[] = [];
	parts.startPool({
		leaseMs: 30,
		pollMs: 10,
		mayBegin: () => {
			asked.push(mayBegin);
			return mayBegin;
		},
	});
	await until('it is asked a few times', () => asked.length > 20);
	t.is((await parts.job(waiting.id)).state, 'queued');
	t.like(await parts.job(silent.id), { state: 'running', claimed_by: 'gone' });
	mayBegin = true;
	for (const { id } of [waiting, silent]) t.is((await parts.ended(id)).state, 'done');
});
