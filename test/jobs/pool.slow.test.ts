import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { openJobRooms } from '../helpers/job-rooms.ts';
import { until } from '../helpers/until.ts';

for (const dialect of databases) {
	test(`${dialect}: threads work the queue off, progress is shown, and a pool is idle in the end`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const jobs = [];
		for (let i = 0; i < 6; i++) jobs.push(await rooms.put(`f${i}`, `${NUMBER} ${i}\n`));
		const bad = await rooms.put('bad', `${MARKS.bad}\n`);
		const settled: string[] = [];
		const pool = rooms.startPool({ onSettled: (id, state) => settled.push(`${id} ${state}`) });
		for (const { id } of jobs) t.is((await rooms.ended(id)).state, 'done');
		t.is((await rooms.ended(bad.id)).error_reason, 'file-malformed');
		await until('every end is told', () => settled.length === 7 && pool.runningJobs.length === 0);
		const outputs = await rooms.files('tokenized');
		t.is(outputs.length, 6);
		for (const output of outputs) t.is(await rooms.read(output), `${TOKEN} ${output.name.slice(1)}\n`);
	});

	test(`${dialect}: two pools on one database run each job once`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const settled: string[] = [];
		const onSettled = (id: string, state: string) => settled.push(`${id} ${state}`);
		const one = rooms.startPool({ daemonId: 'one', workers: 1, onSettled });
		const two = rooms.startPool({ daemonId: 'two', workers: 1, onSettled });
		const jobs = [];
		for (let i = 0; i < 12; i++) {
			jobs.push(await rooms.put(`f${i}`, `${NUMBER}\n`));
			one.wake();
			two.wake();
		}
		for (const { id } of jobs) await rooms.ended(id);
		const isIdle = () => one.runningJobs.length + two.runningJobs.length === 0;
		await until('every end is told', () => settled.length >= 12 && isIdle());
		t.deepEqual(settled.sort(), jobs.map(({ id }) => `${id} done`).sort());
		t.is((await rooms.database.knex('engine_pages')).length, 12);
	});

	test(`${dialect}: a file that kills its thread fails with that reason, the thread is replaced, and no other job is harmed`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const crash = await rooms.put('crash', `${MARKS.crash}\n`);
		const good = await rooms.put('good', `${NUMBER}\n`);
		rooms.startPool({ workers: 1 });
		t.is((await rooms.ended(good.id)).state, 'done');
		const failed = await rooms.ended(crash.id);
		t.like(failed, { state: 'failed', crashes_alone: 3, error_reason: 'kills-the-worker', last_reason: 'worker-gone' });
		t.is((await rooms.files('reports')).length, 4, 'under its own name and as the latest, each');
		t.is((await rooms.files('tokenize'))[0].state, 'failed');
	});
}

test('jobs of small files share a thread, and a large file waits for one of its own without being passed over', async (t) => {
	const rooms = await openJobRooms(t);
	const slow = (name: string) => rooms.put(name, `${NUMBER} ${MARKS.slow}\n`.repeat(20));
	const small = [await slow('a'), await slow('b'), await slow('c')];
	const large = await rooms.put('large', `${NUMBER} ${'x'.repeat(300_000)}\n`);
	const later = await slow('later');
	const pool = rooms.startPool({ workers: 1 });
	await until('three run at once', () => pool.runningJobs.length === 3);
	t.deepEqual(pool.runningJobs.toSorted(), small.map(({ id }) => id).toSorted());
	t.is((await rooms.job(later.id)).state, 'queued', 'the large one is before it');
	for (const { id } of [...small, large, later]) t.is((await rooms.ended(id)).state, 'done');
	const [largeRow, laterRow] = [await rooms.job(large.id), await rooms.job(later.id)];
	t.true(laterRow.started_at! >= largeRow.finished_at!);
	for (const { id } of small) t.true((await rooms.job(id)).finished_at! <= largeRow.started_at!);
});

test('a file that kills its thread takes the files beside it along only once', async (t) => {
	const rooms = await openJobRooms(t, 'sqlite', { maxAttempts: 3 });
	const beside = [];
	for (const name of ['a', 'b', 'c']) beside.push(await rooms.put(name, `${NUMBER} ${MARKS.slow}\n`.repeat(20)));
	const crash = await rooms.put('crash', `${MARKS.crash}\n`);
	rooms.startPool({ workers: 1 });
	t.like(await rooms.ended(crash.id), { state: 'failed', crashes: 4, crashes_alone: 3 });
	for (const { id } of beside) t.like(await rooms.ended(id), { state: 'done', crashes: 1, crashes_alone: 0 });
	const pages = rooms.database.knex('engine_pages').whereIn(
		'job_id',
		beside.map(({ id }) => id),
	);
	t.is((await pages).length, 3, 'what the first attempts stored is dropped');
});

test('a file starts at once, and small files that follow it closely start together', async (t) => {
	const rooms = await openJobRooms(t);
	const pool = rooms.startPool({ pollMs: 3_600_000 });
	const { database, drops } = rooms;
	const intake = openIntake({ database, drops, onAccepted: () => pool.wake() });
	const accept = async (name: string) => {
		const folder = { accountId: 7 as AccountId, area: 'tokenize', filter: 'GBT' } as const;
		const upload = await drops.begin({ folder, name, createdBy: 'alice' });
		await upload.write(0, Buffer.from(`${NUMBER}\n`));
		return intake.accept(upload);
	};
	const first = await accept('first');
	while ((await rooms.job(first.id))!.started_at === null) await new Promise((resolve) => setTimeout(resolve, 1));
	const others = await Promise.all(['a', 'b', 'c'].map(accept));
	const startedAt = await Promise.all(others.map(async ({ id }) => (await rooms.ended(id)).started_at));
	t.is(new Set(startedAt).size, 1);
	t.true(startedAt[0]! > (await rooms.job(first.id))!.started_at!);
});

test('a job that is retried starts at once, however seldom the queue is looked at', async (t) => {
	const rooms = await openJobRooms(t);
	const { id } = await rooms.put('bad', `${MARKS.bad}\n`);
	const settled = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
	let ended = 0;
	const pool = rooms.startPool({ pollMs: 3_600_000, onSettled: (_, state) => settled[ended++].resolve(state) });
	t.is(await settled[0].promise, 'failed');
	const { database, drops } = rooms;
	const intake = openIntake({ database, drops, onAccepted: () => pool.wake() });
	t.true(await intake.retry(await rooms.job(id)));
	t.false(await intake.retry(await rooms.job(id)), 'it is under way');
	t.is(await settled[1].promise, 'failed');
});

test('a bug ends its thread, and the next attempt gets a fresh one', async (t) => {
	const rooms = await openJobRooms(t);
	const bug = await rooms.put('bug', `${MARKS.bug}\n`);
	const pool = rooms.startPool({ workers: 1 });
	t.like(await rooms.ended(bug.id), { state: 'failed', attempts: 3 });
	const good = await rooms.put('good', `${NUMBER}\n`);
	pool.wake();
	t.is((await rooms.ended(good.id)).state, 'done');
});

test('a job whose end could not be recorded is put back when the database answers again, not when its lease ends', async (t) => {
	const rooms = await openJobRooms(t);
	const { knex } = rooms.database;
	await knex.raw(`create trigger away before update of state on jobs when new.state <> 'running'
		begin select raise(abort, 'the database is away'); end`);
	const { id } = await rooms.put('bug', `${MARKS.bug}\n`);
	const failed = Promise.withResolvers<void>();
	const error = (_: object, message: string) => message === 'attempt could not be settled' && failed.resolve();
	rooms.startPool({ leaseMs: 900, logger: { info() {}, warn() {}, error } });
	await failed.promise;
	// Recording a failure extends the lease by a minute, which is longer than `ended` waits.
	t.true((await rooms.job(id)).lease_until! > Date.now() + 45_000);
	await knex.raw('drop trigger away');
	t.like(await rooms.ended(id), { state: 'failed', attempts: 3 });
});

test('closing cuts off what takes too long and costs it no attempt', async (t) => {
	const rooms = await openJobRooms(t);
	const slow = await rooms.put('slow', `${NUMBER} ${MARKS.slow}\n`.repeat(200));
	const pool = rooms.startPool();
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await new Promise((resolve) => setTimeout(resolve, 400));
	await pool.close(50);
	t.like(await rooms.job(slow.id), { state: 'queued', attempts: 0, claimed_by: null });
	t.deepEqual(await rooms.files('tokenized'), []);
});

test('closing waits for what ends in time', async (t) => {
	const rooms = await openJobRooms(t);
	const job = await rooms.put('short', `${NUMBER} ${MARKS.slow}\n`.repeat(3));
	const pool = rooms.startPool();
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await pool.close(60_000);
	t.is((await rooms.job(job.id)).state, 'done');
});

test('leases of long jobs are renewed, progress is written, and a silent daemon loses its jobs', async (t) => {
	const rooms = await openJobRooms(t);
	const lost = await rooms.put('lost', `${NUMBER}\n`);
	await rooms.claim('dead');
	await rooms.database
		.knex('jobs')
		.where({ id: lost.id })
		.update({ lease_until: Date.now() - 1 });
	// The file has two frames of clear bytes, so that there is progress to show before the end.
	const slow = await rooms.put('slow', `${NUMBER} ${'x'.repeat(9_000)} ${MARKS.slow}\n`.repeat(22));
	rooms.startPool({ leaseMs: 600 });
	t.is((await rooms.ended(lost.id)).attempts, 2);
	let shown = 0;
	for (;;) {
		const job = await rooms.job(slow.id);
		if (job.state === 'done') break;
		shown = Math.max(shown, job.bytes_read);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	t.is((await rooms.job(slow.id)).attempts, 1);
	t.true(shown > 0 && shown < slow.bytes_total, `${shown}`);
});

test('an attempt whose lease was given away is cut off', async (t) => {
	const rooms = await openJobRooms(t);
	const job = await rooms.put('slow', `${NUMBER} ${MARKS.slow}\n`.repeat(100));
	const pool = rooms.startPool({ leaseMs: 300, workers: 1 });
	while (pool.runningJobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	await rooms.database
		.knex('jobs')
		.where({ id: job.id })
		.update({ claimed_by: 'other', attempts: 2, lease_until: Date.now() + 60_000 });
	const startedAt = Date.now();
	while (pool.runningJobs.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
	t.true(Date.now() - startedAt < 5_000);
	t.like(await rooms.job(job.id), { state: 'running', claimed_by: 'other', attempts: 2 });
});

test('a failed job that is retried runs again in the pool', async (t) => {
	const rooms = await openJobRooms(t);
	const job = await rooms.put('bad', `${MARKS.bad}\n`);
	const pool = rooms.startPool();
	const failed = await rooms.ended(job.id);
	t.true(await requeueFailed(rooms.database, failed, Date.now()));
	pool.wake();
	t.like(await rooms.ended(job.id), { state: 'failed', attempts: 1 });
});

test('a pool that may not begin jobs neither claims any nor takes over those of others', async (t) => {
	const rooms = await openJobRooms(t);
	const waiting = await rooms.put('waiting', `${NUMBER}\n`);
	const silent = await rooms.put('silent', `${NUMBER}\n`);
	const { knex } = rooms.database;
	await knex('jobs').where({ id: silent.id }).update({ state: 'running', claimed_by: 'gone', lease_until: 1 });
	let mayBegin = false;
	const asked: boolean[] = [];
	rooms.startPool({
		leaseMs: 30,
		pollMs: 10,
		mayBegin: () => {
			asked.push(mayBegin);
			return mayBegin;
		},
	});
	await until('it is asked a few times', () => asked.length > 20);
	t.is((await rooms.job(waiting.id)).state, 'queued');
	t.like(await rooms.job(silent.id), { state: 'running', claimed_by: 'gone' });
	mayBegin = true;
	for (const { id } of [waiting, silent]) t.is((await rooms.ended(id)).state, 'done');
});
