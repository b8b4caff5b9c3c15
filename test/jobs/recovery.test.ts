import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createSpool } from '../../src/base/blobs/spool.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { makeUlid } from '../../src/base/database/ulid.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { checkDrops, recover } from '../../src/work/jobs/queue/recovery.ts';
import { CRASH_CONTENT, KILL_POINTS, type KillPoint } from '../helpers/crash-child.ts';
import { databases } from '../helpers/database.ts';
import { collect, inFolder } from '../helpers/drop-rooms.ts';
import { NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { type JobRooms, openJobRooms } from '../helpers/job-rooms.ts';
import { folder } from './recovery.setup.ts';

const CHILD = fileURLToPath(new URL('../helpers/crash-child.ts', import.meta.url));

async function dieAt(rooms: JobRooms, point: KillPoint): Promise<void> {
	const child = spawn(process.execPath, [CHILD, JSON.stringify(rooms.setup), point], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let complaint = '';
	child.stderr.on('data', (chunk) => {
		complaint += chunk;
	});
	const [code, signal] = await once(child, 'exit');
	if (signal !== 'SIGKILL') throw new Error(`the child ended with ${code}: ${complaint}`);
}

async function blobCount(rooms: JobRooms): Promise<number> {
	return (await collect(rooms.blobs.list())).length;
}

const killed = test.macro({
	title: (_, dialect: Dialect, point: KillPoint) =>
		`${dialect}: killed ${point}: one output in the end, and nothing else`,
	async exec(t: ExecutionContext, dialect: Dialect, point: KillPoint) {
		const rooms = await openJobRooms(t, dialect);
		await dieAt(rooms, point);
		// On PostgreSQL, a file counts as abandoned only some time after its daemon fell silent; this makes that time pass.
		if (dialect === 'postgres') await rooms.database.knex('drop_files').update({ held_until: 1 });
		const clock = { now: () => new Date(Date.now() + 1000) };
		await recover({ ...rooms, clock });
		if (KILL_POINTS.indexOf(point) < 2) {
			// The upload was never acknowledged, so the client finds what has come of it, and goes on.
			t.deepEqual(await rooms.jobs(), []);
			const upload = (await rooms.drops.resume({ folder, name: 'may.csv', createdBy: 'alice' }))!;
			t.is(upload.size, CRASH_CONTENT.length);
			await rooms.intake.accept(upload);
		}
		const later = Date.now() + 10_000;
		for (let job = await rooms.claim('one', later); job; job = await rooms.claim('one', later)) {
			t.deepEqual(await runAttempt(rooms, job), { state: 'done' });
		}
		const [job, ...others] = await rooms.jobs();
		t.deepEqual(others, []);
		t.is(job.state, 'done');
		const outputs = await rooms.files('tokenized');
		t.is(outputs.length, 1);
		t.true((await rooms.read(outputs[0])) === CRASH_CONTENT.replaceAll(NUMBER, TOKEN));
		t.deepEqual(
			(await rooms.files('reports')).map(({ name }) => name),
			[`may.csv.${job.id}.json`, 'may.csv.json'],
		);
		t.deepEqual(await rooms.files('tokenize'), []);
		const pages = await rooms.database.knex('engine_pages');
		t.deepEqual(
			pages.map((page) => Boolean(page.adopted)),
			[true],
			'the pages of the dead attempt are gone',
		);
		t.is((await checkDrops(rooms, -60_000)).missing, 0);
		t.is(await blobCount(rooms), 2, 'output and report');
	},
});
for (const dialect of databases) for (const point of KILL_POINTS) test(killed, dialect, point);

test('orphans are removed once nothing can be at work on them, and files that are gone are told', async (t) => {
	const rooms = await openJobRooms(t);
	const job = await rooms.put('may.csv', 'x');
	const orphan = await createSpool(rooms, inFolder(makeUlid(Date.now())));
	await orphan.write(Buffer.from('left behind'));
	await orphan.finish();
	t.deepEqual(await checkDrops(rooms), { orphansRemoved: 0, missing: 0 }, 'too young');
	await rooms.claim();
	await rooms.database
		.knex('jobs')
		.where({ id: job.id })
		.update({ started_at: Date.now() - 7_200_000 });
	t.is((await checkDrops(rooms, -60_000)).orphansRemoved, 0, 'a running job may have made it');
	await rooms.database.knex('jobs').where({ id: job.id }).update({ state: 'queued' });
	t.deepEqual(await checkDrops(rooms, -60_000), { orphansRemoved: 1, missing: 0 });
	await rooms.blobs.remove((await rooms.files('tokenize'))[0].blob_id);
	const told: object[] = [];
	const silent = () => {};
	const logger = { info: silent, warn: silent, error: (details: object) => told.push(details) };
	t.is((await checkDrops({ ...rooms, logger })).missing, 1);
	t.like(told[0], { area: 'tokenize', state: 'accepted' });
});

test('a start from nothing on one daemon fences the upload another one still holds', async (t) => {
	const rooms = await openJobRooms(t, 'postgres');
	const elsewhere = new Drops({ ...rooms, daemonId: 'two' });
	const target = { folder, name: 'may.csv', createdBy: 'alice' };
	const first = await elsewhere.begin(target);
	await first.write(0, Buffer.from('first'));
	const second = await rooms.drops.begin(target);
	await second.write(0, Buffer.from('second'));
	const job = await rooms.intake.accept(second);
	await elsewhere.close();
	t.is(job.bytes_total, 6);
	t.is((await rooms.files('tokenize')).length, 1);
	t.is(await rooms.read((await rooms.files('tokenize'))[0]), 'second');
});

test('closing the drops pauses every upload under way', async (t) => {
	const rooms = await openJobRooms(t);
	const target = { folder, name: 'may.csv', createdBy: 'alice' };
	const upload = await rooms.drops.begin(target);
	await upload.write(0, Buffer.from('some bytes'));
	await rooms.drops.close();
	t.like((await rooms.files('tokenize'))[0], { state: 'partial', size: 10 });
	const again = (await rooms.drops.resume(target))!;
	t.is(again.size, 10);
	await rooms.drops.pause(again);
});
