// Several files may have one name (shapes §10): checks which output, which report and which failed input the name shows.

import test from 'ava';
import type { Area } from '../../src/work/drops/drop-names.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { ANY_FILTER, putFormatOptions } from '../../src/work/jobs/format-options.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { runRetention } from '../../src/work/jobs/retention.ts';
import { databases } from '../helpers/database.ts';
import { collect } from '../helpers/drop-rooms.ts';
import { MARKS } from '../helpers/engine-double.ts';
import { type JobRooms, openJobRooms } from '../helpers/job-rooms.ts';

const after = (days: number) => ({ now: () => new Date(Date.now() + days * 24 * 3_600_000 + 60_000) });

/** Returns the names in an area with the content of the file that each shows. */
async function shown(rooms: JobRooms, area: Area): Promise<Record<string, string>> {
	const files = await rooms.files(area);
	const entries = files.map(async (file) => [file.name, await rooms.read(file)] as const);
	return Object.fromEntries(await Promise.all(entries));
}

/** Returns the names of the reports with the id of the job that each is about. */
async function reports(rooms: JobRooms): Promise<Record<string, string>> {
	const texts = Object.entries(await shown(rooms, 'reports'));
	return Object.fromEntries(
		texts.filter(([name]) => name.endsWith('.json')).map(([n, text]) => [n, JSON.parse(text).id]),
	);
}

async function runNext(rooms: JobRooms): Promise<string> {
	return (await runAttempt(rooms, (await rooms.claim('one', Date.now() + 1000))!)).state;
}

async function process(rooms: JobRooms, name: string, content: string): Promise<JobRow> {
	const job = await rooms.put(name, content);
	await runNext(rooms);
	return job;
}

async function retry(rooms: JobRooms, { id }: JobRow): Promise<string> {
	if (!(await requeueFailed(rooms.database, await rooms.job(id), Date.now()))) throw new Error('not a failed job');
	return runNext(rooms);
}

/** Returns rooms whose engine finds every line fine, as if what was wrong had been repaired. */
function repaired(rooms: JobRooms): JobRooms {
	const { engine } = rooms;
	const run: typeof engine.run = (request) => engine.run({ ...request, source: withoutMarks(request.source) });
	return { ...rooms, engine: { ...engine, run } };
}

async function* withoutMarks(source: AsyncIterable<Uint8Array>) {
	for await (const chunk of source) yield Buffer.from(Buffer.from(chunk).toString().replaceAll(MARKS.bad, 'good'));
}

for (const dialect of databases) {
	test(`${dialect}: from the moment a file is accepted its name shows no earlier output, also when it fails`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const monday = await process(rooms, 'daily.csv', 'monday');
		t.deepEqual(await shown(rooms, 'tokenized'), { 'daily.csv': 'monday' });
		const tuesday = await rooms.put('daily.csv', MARKS.bad);
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday' });
		t.is(await runNext(rooms), 'failed');
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday' });
		const wednesday = await process(rooms, 'daily.csv', 'wednesday');
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday', 'daily.csv': 'wednesday' });
		const own = Object.fromEntries([monday, tuesday, wednesday].map(({ id }) => [`daily.csv.${id}.json`, id]));
		t.deepEqual(await reports(rooms), { ...own, 'daily.csv.json': wednesday.id });
		t.is((await rooms.job(monday.id)).output_id, (await rooms.files('tokenized'))[0].id, 'the job still knows it');
	});

	test(`${dialect}: an accepted file that is refused at the last moment leaves the earlier output where it was`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		await process(rooms, 'daily.csv', 'monday');
		const folder = { accountId: 7 as never, area: 'tokenize' as const, filter: 'GBT' };
		const upload = await rooms.drops.begin({ folder, name: 'daily.csv', createdBy: 'alice' });
		const alongside = async () => {
			throw new Error('somebody else has the claim');
		};
		await t.throwsAsync(rooms.intake.accept(upload, { alongside }), { message: /claim/ });
		t.deepEqual(await shown(rooms, 'tokenized'), { 'daily.csv': 'monday' });
	});

	test(`${dialect}: files accepted one after the other give an output each, the name is the last one's`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const jobs: JobRow[] = [];
		for (const content of ['one', 'two', 'three']) jobs.push(await rooms.put('daily.csv', content));
		await runNext(rooms);
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${jobs[0].id}.csv`]: 'one' });
		t.false('daily.csv.json' in (await reports(rooms)), 'the name is free for the last one');
		await runNext(rooms);
		t.false('daily.csv.json' in (await reports(rooms)));
		await runNext(rooms);
		const expected = { [`daily.${jobs[0].id}.csv`]: 'one', [`daily.${jobs[1].id}.csv`]: 'two', 'daily.csv': 'three' };
		t.deepEqual(await shown(rooms, 'tokenized'), expected);
		t.is((await reports(rooms))['daily.csv.json'], jobs[2].id);
	});

	test(`${dialect}: a failed job that is done at last does not displace the output or the report of a later file`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const first = await process(rooms, 'daily.csv', `${MARKS.bad} first`);
		t.is((await reports(rooms))['daily.csv.json'], first.id);
		const second = await process(rooms, 'daily.csv', 'second');
		t.is(await retry(rooms, first), 'failed');
		t.is((await reports(rooms))['daily.csv.json'], second.id);
		t.is(await retry(repaired(rooms), first), 'done');
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${first.id}.csv`]: 'good first', 'daily.csv': 'second' });
		t.is((await reports(rooms))['daily.csv.json'], second.id);
		t.deepEqual(await rooms.files('tokenize'), []);
	});

	test(`${dialect}: the last file of a name that failed gets the name when it is done at last`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const first = await process(rooms, 'daily.csv', 'first');
		const second = await process(rooms, 'daily.csv', `${MARKS.bad} second`);
		t.is(await retry(repaired(rooms), second), 'done');
		t.deepEqual(await shown(rooms, 'tokenized'), { [`daily.${first.id}.csv`]: 'first', 'daily.csv': 'good second' });
	});

	test(`${dialect}: of several failed inputs the youngest has the name alone, and each can be tried again`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const jobs: JobRow[] = [];
		for (const each of ['one', 'two', 'three']) jobs.push(await process(rooms, 'daily.csv', `${MARKS.bad} ${each}`));
		const own = (job: JobRow) => `daily.csv.${job.id}.failed`;
		const [one, two, three] = ['one', 'two', 'three'].map((each) => `${MARKS.bad} ${each}`);
		const all = { [own(jobs[0])]: one, [own(jobs[1])]: two, 'daily.csv.failed': three };
		t.deepEqual(await shown(rooms, 'tokenize'), all);
		t.is(await retry(rooms, jobs[0]), 'failed');
		t.deepEqual(await shown(rooms, 'tokenize'), all, 'it is not the youngest because it failed last');
		await requeueFailed(rooms.database, await rooms.job(jobs[2].id), Date.now());
		t.deepEqual(await shown(rooms, 'tokenize'), { [own(jobs[0])]: one, [own(jobs[1])]: two, 'daily.csv': three });
		t.is(await runNext(repaired(rooms)), 'done');
		t.is(await retry(rooms, jobs[1]), 'failed');
		t.deepEqual(await shown(rooms, 'tokenize'), { [own(jobs[0])]: one, 'daily.csv.failed': two });
		await runRetention(
			{ ...rooms, clock: after(31) },
			{ dropsDays: 30, failedInputsHours: 24, partialsHours: 48, reportsDays: 90 },
		);
		t.deepEqual(await rooms.files('tokenize'), []);
	});

	test(`${dialect}: an output that its client renamed or removed is nobody's to move`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		await process(rooms, 'daily.csv', 'monday');
		const [output] = await rooms.files('tokenized');
		t.true(await rooms.drops.rename(output, 'fetched.csv', undefined));
		await process(rooms, 'daily.csv', 'tuesday');
		t.true(await rooms.drops.remove((await rooms.files('tokenized'))[0]));
		await process(rooms, 'daily.csv', 'wednesday');
		t.deepEqual(await shown(rooms, 'tokenized'), { 'daily.csv': 'wednesday', 'fetched.csv': 'monday' });
	});

	test(`${dialect}: what a client put under a name makes room too, and no output is lost to another one`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const monday = await process(rooms, 'daily.csv', 'monday');
		const other = await process(rooms, 'other.csv', 'other');
		const find = async (name: string) => (await rooms.files('tokenized')).find((each) => each.name === name)!;
		await rooms.put('daily.csv', 'tuesday');
		t.true(await rooms.drops.rename(await find('other.csv'), 'daily.csv', undefined));
		await runNext(rooms);
		const expected = {
			[`daily.${monday.id}.csv`]: 'monday',
			[`daily.${other.id}.csv`]: 'other',
			'daily.csv': 'tuesday',
		};
		t.deepEqual(await shown(rooms, 'tokenized'), expected);
		// Another file takes the name that the output of this job would get when it makes room.
		const wednesday = await rooms.put('daily.csv', 'wednesday');
		await runNext(rooms);
		const thursday = await rooms.put(`daily.${wednesday.id}.csv`, 'of another name');
		await runNext(rooms);
		await rooms.put('daily.csv', 'friday');
		await runNext(rooms);
		const outputs = await shown(rooms, 'tokenized');
		t.is(outputs['daily.csv'], 'friday');
		t.is(outputs[`daily.${wednesday.id}.csv`], 'of another name');
		t.is(outputs[`daily.${wednesday.id}.2.csv`], 'wednesday');
		t.is((await rooms.job(thursday.id)).name, `daily.${wednesday.id}.csv`);
		t.is(Object.keys(outputs).length, 6);
	});

	test(`${dialect}: the latest report stands under two names, lies there once, and goes with the second of them`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const { id } = await process(rooms, 'daily.csv', 'monday');
		const blobs = async () => (await collect(rooms.blobs.list())).length;
		t.is(await blobs(), 2, 'output and report');
		const [own, latest] = await rooms.files('reports');
		t.deepEqual([own.name, latest.name], [`daily.csv.${id}.json`, 'daily.csv.json']);
		t.is(own.blob_id, latest.blob_id);
		t.true(await rooms.drops.remove(own));
		t.is(JSON.parse(await rooms.read(latest)).id, id);
		t.true(await rooms.drops.remove(latest));
		t.is(await blobs(), 1);
		const next = await process(rooms, 'daily.csv', 'tuesday');
		t.true(await rooms.drops.remove((await rooms.files('reports')).find(({ name }) => name === 'daily.csv.json')!));
		t.deepEqual(await reports(rooms), { [`daily.csv.${next.id}.json`]: next.id });
		await process(rooms, 'daily.csv', 'wednesday');
		t.is((await rooms.files('reports')).length, 3);
		const gone = await runRetention(
			{ ...rooms, clock: after(91) },
			{ dropsDays: 300, failedInputsHours: 24, partialsHours: 48, reportsDays: 90 },
		);
		t.is(gone.reports, 2);
		t.is(await blobs(), 3, 'the outputs');
	});

	test(`${dialect}: the latest report as CSV is never that of an earlier file`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const setCsv = (csv: boolean) =>
			putFormatOptions(rooms, { accountId: 7 as never, filter: ANY_FILTER }, { report: { csv } }, () => {});
		const tables = async () => (await rooms.files('reports')).filter(({ name }) => name.endsWith('csv'));
		const named = async () => (await tables()).map(({ name, job_id }) => [name, job_id]);
		await setCsv(true);
		const monday = await process(rooms, 'daily.csv', 'monday');
		const ofMonday = [`daily.csv.${monday.id}.csv`, monday.id];
		t.deepEqual(await named(), [ofMonday, ['daily.csv.csv', monday.id]]);
		const tuesday = await process(rooms, 'daily.csv', MARKS.bad);
		const ofTuesday = [`daily.csv.${tuesday.id}.csv`, tuesday.id];
		t.deepEqual(await named(), [ofMonday, ofTuesday, ['daily.csv.csv', tuesday.id]]);
		await setCsv(false);
		await process(rooms, 'daily.csv', 'wednesday');
		t.deepEqual(await named(), [ofMonday, ofTuesday]);
	});

	test(`${dialect}: from the moment a file is accepted its name shows no earlier report, in either direction`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const all = { accountId: 7 as never, filter: ANY_FILTER };
		await putFormatOptions(rooms, all, { report: { csv: true } }, () => {});
		const named = async () => (await rooms.files('reports')).map(({ name }) => name).sort();
		const own = (id: string) => [`daily.csv.${id}.csv`, `daily.csv.${id}.json`];
		const monday = await process(rooms, 'daily.csv', 'monday');
		t.deepEqual(await named(), [...own(monday.id), 'daily.csv.csv', 'daily.csv.json']);
		// A client has removed the name with the id, so that only the other one is left of this report.
		const [ofJob] = (await rooms.files('reports')).filter(({ name }) => name === own(monday.id)[0]);
		t.true(await rooms.drops.remove(ofJob));
		const tuesday = await rooms.put('daily.csv', MARKS.bad);
		t.deepEqual(await named(), own(monday.id));
		t.is(await runNext(rooms), 'failed');
		t.is((await reports(rooms))['daily.csv.json'], tuesday.id);
		await rooms.put('daily.csv', 'back', { area: 'detokenize' });
		t.deepEqual(await named(), [...own(monday.id), ...own(tuesday.id)].sort());
		t.is(await retry(repaired(rooms), tuesday), 'done');
		await runNext(rooms);
		t.false((await reports(rooms))['daily.csv.json'] === tuesday.id);
		t.is((await named()).length, 8);
	});

	test(`${dialect}: both directions of a name share the latest report, not the output`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const up = await process(rooms, 'daily.csv', 'up');
		const back = await rooms.put('daily.csv', 'back', { area: 'detokenize' });
		t.deepEqual(await shown(rooms, 'tokenized'), { 'daily.csv': 'up' });
		await runNext(rooms);
		t.deepEqual(await shown(rooms, 'detokenized'), { 'daily.csv': 'back' });
		const own = { [`daily.csv.${up.id}.json`]: up.id, [`daily.csv.${back.id}.json`]: back.id };
		t.deepEqual(await reports(rooms), { ...own, 'daily.csv.json': back.id });
	});

	test(`${dialect}: an attempt that lost its job neither takes nor frees a name`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		await rooms.put('daily.csv', 'monday');
		const stale = (await rooms.claim('dead'))!;
		await queueStore(rooms.database.knex, dialect).requeueExpired(null, 0);
		const current = (await rooms.claim('alive'))!;
		t.is((await runAttempt(rooms, current)).state, 'done');
		const before = [await shown(rooms, 'tokenized'), await shown(rooms, 'reports')];
		t.is((await runAttempt(rooms, stale)).state, 'done', 'told that it is, by somebody else');
		t.deepEqual([await shown(rooms, 'tokenized'), await shown(rooms, 'reports')], before);
	});

	test(`${dialect}: names as long as they may be have room for all that is put to them`, async (t) => {
		const rooms = await openJobRooms(t, dialect);
		const name = `${'é'.repeat(98)}.csv`;
		t.is(Buffer.byteLength(name), 200);
		const failed = [await process(rooms, name, MARKS.bad), await process(rooms, name, MARKS.bad)];
		const first = await process(rooms, name, 'one');
		await process(rooms, name, 'two');
		t.deepEqual(await shown(rooms, 'tokenized'), { [`${'é'.repeat(98)}.${first.id}.csv`]: 'one', [name]: 'two' });
		t.true((await rooms.files('tokenize')).some((file) => file.name === `${name}.${failed[0].id}.failed`));
		for (const area of ['tokenize', 'tokenized', 'reports'] as const) {
			for (const file of await rooms.files(area)) t.true(Buffer.byteLength(file.name) <= 255, file.name);
		}
	});
}
