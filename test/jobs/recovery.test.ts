import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { createSpool } from '../../src/base/blobs/spool.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { ulidMaker } from '../../src/base/database/ulid.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { checkDrops, recover } from '../../src/work/jobs/queue/recovery.ts';
import { CRASH_CONTENT, KILL_POINTS, type KillPoint } from '../helpers/crash-child.ts';
import { databases } from '../helpers/database.ts';
import { NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { collect, inFolder } from '../helpers/file-parts.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';
import { folder } from './recovery.setup.ts';

const CHILD = fileURLToPath(new URL('../helpers/crash-child.ts', import.meta.url));

async function dieAt(parts: JobParts, point: KillPoint): Promise<void> {
	const child = spawn(process.execPath, [CHILD, JSON.stringify(parts.setup), point], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let complaint = '';
	child.stderr.on('data', (chunk) => {
		complaint += chunk;
	});
	const [code, signal] = await once(child, 'exit');
	if (signal !== 'SIGKILL') throw new Error(`the child ended with ${code}: ${complaint}`);
}

async function blobCount(parts: JobParts): Promise<number> {
	return (await collect(parts.blobs.list())).length;
}

const killed = test.macro({
	title: (_, dialect: Dialect, point: KillPoint) =>
		`${dialect}: killed ${point}: one output in the end, and nothing else`,
	async exec(t: ExecutionContext, dialect: Dialect, point: KillPoint) {
		const parts = await openJobParts(t, dialect);
		await dieAt(parts, point);
		// On PostgreSQL, a file counts as abandoned only some time after its daemon fell silent; this makes that time pass.
		if (dialect === 'postgres') await parts.database.knex('drop_files').update({ held_until: 1 });
		const clock = { now: () => new Date(Date.now() + 1000) };
		await recover({ ...parts, clock });
		if (KILL_POINTS.indexOf(point) < 2) {
			// The upload was never acknowledged, so the client finds what has come of it, and goes on.
			t.deepEqual(await parts.jobs(), []);
			const upload = (await parts.drops.resume({ folder, name: 'may.csv', createdBy: 'alice' }))!;
			t.is(upload.size, CRASH_CONTENT.length);
			await parts.intake.accept(upload);
		}
		const later = Date.now() + 10_000;
		for (let job = await parts.claim('one', later); job; job = await parts.claim('one', later)) {
			t.deepEqual(await runAttempt(parts, job), { state: 'done' });
		}
		const [job, ...others] = await parts.jobs();
		t.deepEqual(others, []);
		t.is(job.state, 'done');
		const outputs = await parts.files('tokenized');
		t.is(outputs.length, 1);
		t.true((await parts.read(outputs[0])) === CRASH_CONTENT.replaceAll(NUMBER, TOKEN));
		t.deepEqual(
			(await parts.files('reports')).map(({ name }) => name),
			[`may.csv.${job.id}.json`, 'may.csv.json'],
		);
		t.deepEqual(await parts.files('tokenize'), []);
		const pages = await parts.database.knex('engine_pages');
		t.deepEqual(
			pages.map((page) => Boolean(page.adopted)),
			[true],
			'the pages of the dead attempt are gone',
		);
		t.is((await checkDrops(parts, -60_000)).missing, 0);
		t.is(await blobCount(parts), 2, 'output and report');
	},
});
for (const dialect of databases) for (const point of KILL_POINTS) test(killed, dialect, point);

test('orphans are removed once nothing can be at work on them, and files that are gone are told', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('may.csv', 'x');
	const orphan = await createSpool(parts, inFolder(ulidMaker()(Date.now())));
	await orphan.write(Buffer.from('left behind'));
	await orphan.finish();
	t.deepEqual(await checkDrops(parts), { orphansRemoved: 0, missing: 0 }, 'too young');
	await parts.claim();
	await parts.database
		.knex('jobs')
		.where({ id: job.id })
		.update({ started_at: Date.now() - 7_200_000 });
	t.is((await checkDrops(parts, -60_000)).orphansRemoved, 0, 'a running job may have made it');
	await parts.database.knex('jobs').where({ id: job.id }).update({ state: 'queued' });
	t.deepEqual(await checkDrops(parts, -60_000), { orphansRemoved: 1, missing: 0 });
	await parts.blobs.remove((await parts.files('tokenize'))[0].blob_id);
	const told: object[] = [];
	const silent = () => {};
	const logger = { info: silent, warn: silent, error: (details: object) => told.push(details) };
	t.is((await checkDrops({ ...parts, logger })).missing, 1);
	t.like(told[0], { area: 'tokenize', state: 'accepted' });
});

test('a start from nothing on one daemon fences the upload another one still holds', async (t) => {
	const parts = await openJobParts(t, 'postgres');
	const elsewhere = new Drops({ ...parts, daemonId: 'two' });
	const target = { folder, name: 'may.csv', createdBy: 'alice' };
	const first = await elsewhere.begin(target);
	await first.write(0, Buffer.from('first'));
	const second = await parts.drops.begin(target);
	await second.write(0, Buffer.from('second'));
	const job = await parts.intake.accept(second);
	await elsewhere.close();
	t.is(job.bytes_total, 6);
	t.is((await parts.files('tokenize')).length, 1);
	t.is(await parts.read((await parts.files('tokenize'))[0]), 'second');
});

test('closing the drops pauses every upload under way', async (t) => {
	const parts = await openJobParts(t);
	const target = { folder, name: 'may.csv', createdBy: 'alice' };
	const upload = await parts.drops.begin(target);
	await upload.write(0, Buffer.from('some bytes'));
	await parts.drops.close();
	t.like((await parts.files('tokenize'))[0], { state: 'partial', size: 10 });
	const again = (await parts.drops.resume(target))!;
	t.is(again.size, 10);
	await parts.drops.pause(again);
});
