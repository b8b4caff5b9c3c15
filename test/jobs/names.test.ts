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
import { MARKS } from '../helpers/engine-double.ts';
import { collect } from '../helpers/file-parts.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

const after = (days: number) => ({ now: () => new Date(Date.now() + days * 24 * 3_600_000 + 60_000) });

/** Returns the names in an area with the content of the file that each shows. */
async function shown(parts: JobParts, area: Area): Promise<Record<string, string>> {
	const files = await parts.files(area);
	const entries = files.map(async (file) => [file.name, await parts.read(file)] as const);
	return Object.fromEntries(await Promise.all(entries));
}

/** Returns the names of the reports with the id of the job that each is about. */
async function reports(parts: JobParts): Promise<Record<string, string>> {
	const texts = Object.entries(await shown(parts, 'reports'));
	return Object.fromEntries(
		texts.filter(([name]) => name.endsWith('.json')).map(([n, text]) => [n, JSON.parse(text).id]),
	);
}

async function runNext(parts: JobParts): Promise<string> {
	return (await runAttempt(parts, (await parts.claim('one', Date.now() + 1000))!)).state;
}

async function process(parts: JobParts, name: string, content: string): Promise<JobRow> {
	const job = await parts.put(name, content);
	await runNext(parts);
	return job;
}

async function retry(parts: JobParts, { id }: JobRow): Promise<string> {
	if (!(await requeueFailed(parts.database, await parts.job(id), Date.now()))) throw new Error('not a failed job');
	return runNext(parts);
}

/** Returns parts whose engine finds every line fine, as if what was wrong had been repaired. */
function repaired(parts: JobParts): JobParts {
	const { engine } = parts;
	const run: typeof engine.run = (request) => engine.run({ ...request, source: withoutMarks(request.source) });
	return { ...parts, engine: { ...engine, run } };
}

async function* withoutMarks(source: AsyncIterable<Uint8Array>) {
	for await (const chunk of source) yield Buffer.from(Buffer.from(chunk).toString().replaceAll(MARKS.bad, 'good'));
}

for (const dialect of databases) {
	test(`${dialect}: from the moment a file is accepted its name shows no earlier output, also when it fails`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const monday = await process(parts, 'daily.csv', 'monday');
		t.deepEqual(await shown(parts, 'tokenized'), { 'daily.csv': 'monday' });
		const tuesday = await parts.put('daily.csv', MARKS.bad);
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday' });
		t.is(await runNext(parts), 'failed');
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday' });
		const wednesday = await process(parts, 'daily.csv', 'wednesday');
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${monday.id}.csv`]: 'monday', 'daily.csv': 'wednesday' });
		const own = Object.fromEntries([monday, tuesday, wednesday].map(({ id }) => [`daily.csv.${id}.json`, id]));
		t.deepEqual(await reports(parts), { ...own, 'daily.csv.json': wednesday.id });
		t.is((await parts.job(monday.id)).output_id, (await parts.files('tokenized'))[0].id, 'the job still knows it');
	});

	test(`${dialect}: an accepted file that is refused at the last moment leaves the earlier output where it was`, async (t) => {
		const parts = await openJobParts(t, dialect);
		await process(parts, 'daily.csv', 'monday');
		const folder = { accountId: 7 as never, area: 'tokenize' as const, filter: 'GBT' };
		const upload = await parts.drops.begin({ folder, name: 'daily.csv', createdBy: 'alice' });
		const alongside = async () => {
			throw new Error('somebody else has the claim');
		};
		await t.throwsAsync(parts.intake.accept(upload, { alongside }), { message: /claim/ });
		t.deepEqual(await shown(parts, 'tokenized'), { 'daily.csv': 'monday' });
	});

	test(`${dialect}: files accepted one after the other give an output each, the name is the last one's`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const jobs: JobRow[] = [];
		for (const content of ['one', 'two', 'three']) jobs.push(await parts.put('daily.csv', content));
		await runNext(parts);
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${jobs[0].id}.csv`]: 'one' });
		t.false('daily.csv.json' in (await reports(parts)), 'the name is free for the last one');
		await runNext(parts);
		t.false('daily.csv.json' in (await reports(parts)));
		await runNext(parts);
		const expected = { [`daily.${jobs[0].id}.csv`]: 'one', [`daily.${jobs[1].id}.csv`]: 'two', 'daily.csv': 'three' };
		t.deepEqual(await shown(parts, 'tokenized'), expected);
		t.is((await reports(parts))['daily.csv.json'], jobs[2].id);
	});

	test(`${dialect}: a failed job that is done at last does not displace the output or the report of a later file`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const first = await process(parts, 'daily.csv', `${MARKS.bad} first`);
		t.is((await reports(parts))['daily.csv.json'], first.id);
		const second = await process(parts, 'daily.csv', 'second');
		t.is(await retry(parts, first), 'failed');
		t.is((await reports(parts))['daily.csv.json'], second.id);
		t.is(await retry(repaired(parts), first), 'done');
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${first.id}.csv`]: 'good first', 'daily.csv': 'second' });
		t.is((await reports(parts))['daily.csv.json'], second.id);
		t.deepEqual(await parts.files('tokenize'), []);
	});

	test(`${dialect}: the last file of a name that failed gets the name when it is done at last`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const first = await process(parts, 'daily.csv', 'first');
		const second = await process(parts, 'daily.csv', `${MARKS.bad} second`);
		t.is(await retry(repaired(parts), second), 'done');
		t.deepEqual(await shown(parts, 'tokenized'), { [`daily.${first.id}.csv`]: 'first', 'daily.csv': 'good second' });
	});

	test(`${dialect}: of several failed inputs the youngest has the name alone, and each can be tried again`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const jobs: JobRow[] = [];
		for (const each of ['one', 'two', 'three']) jobs.push(await process(parts, 'daily.csv', `${MARKS.bad} ${each}`));
		const own = (job: JobRow) => `daily.csv.${job.id}.failed`;
		const [one, two, three] = ['one', 'two', 'three'].map((each) => `${MARKS.bad} ${each}`);
		const all = { [own(jobs[0])]: one, [own(jobs[1])]: two, 'daily.csv.failed': three };
		t.deepEqual(await shown(parts, 'tokenize'), all);
		t.is(await retry(parts, jobs[0]), 'failed');
		t.deepEqual(await shown(parts, 'tokenize'), all, 'it is not the youngest because it failed last');
		await requeueFailed(parts.database, await parts.job(jobs[2].id), Date.now());
		t.deepEqual(await shown(parts, 'tokenize'), { [own(jobs[0])]: one, [own(jobs[1])]: two, 'daily.csv': three });
		t.is(await runNext(repaired(parts)), 'done');
		t.is(await retry(parts, jobs[1]), 'failed');
		t.deepEqual(await shown(parts, 'tokenize'), { [own(jobs[0])]: one, 'daily.csv.failed': two });
		await runRetention(
			{ ...parts, clock: after(31) },
			{ dropsDays: 30, failedInputsHours: 24, partialsHours: 48, reportsDays: 90 },
		);
		t.deepEqual(await parts.files('tokenize'), []);
	});

	test(`${dialect}: an output that its client renamed or removed is nobody's to move`, async (t) => {
		const parts = await openJobParts(t, dialect);
		await process(parts, 'daily.csv', 'monday');
		const [output] = await parts.files('tokenized');
		t.true(await parts.drops.rename(output, 'fetched.csv', undefined));
		await process(parts, 'daily.csv', 'tuesday');
		t.true(await parts.drops.remove((await parts.files('tokenized'))[0]));
		await process(parts, 'daily.csv', 'wednesday');
		t.deepEqual(await shown(parts, 'tokenized'), { 'daily.csv': 'wednesday', 'fetched.csv': 'monday' });
	});

	test(`${dialect}: what a client put under a name makes room too, and no output is lost to another one`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const monday = await process(parts, 'daily.csv', 'monday');
		const other = await process(parts, 'other.csv', 'other');
		const find = async (name: string) => (await parts.files('tokenized')).find((each) => each.name === name)!;
		await parts.put('daily.csv', 'tuesday');
		t.true(await parts.drops.rename(await find('other.csv'), 'daily.csv', undefined));
		await runNext(parts);
		const expected = {
			[`daily.${monday.id}.csv`]: 'monday',
			[`daily.${other.id}.csv`]: 'other',
			'daily.csv': 'tuesday',
		};
		t.deepEqual(await shown(parts, 'tokenized'), expected);
		// Another file takes the name that the output of this job would get when it makes room.
		const wednesday = await parts.put('daily.csv', 'wednesday');
		await runNext(parts);
		const thursday = await parts.put(`daily.${wednesday.id}.csv`, 'of another name');
		await runNext(parts);
		await parts.put('daily.csv', 'friday');
		await runNext(parts);
		const outputs = await shown(parts, 'tokenized');
		t.is(outputs['daily.csv'], 'friday');
		t.is(outputs[`daily.${wednesday.id}.csv`], 'of another name');
		t.is(outputs[`daily.${wednesday.id}.2.csv`], 'wednesday');
		t.is((await parts.job(thursday.id)).name, `daily.${wednesday.id}.csv`);
		t.is(Object.keys(outputs).length, 6);
	});

	test(`${dialect}: the latest report stands under two names, lies there once, and goes with the second of them`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id } = await process(parts, 'daily.csv', 'monday');
		const blobs = async () => (await collect(parts.blobs.list())).length;
		t.is(await blobs(), 2, 'output and report');
		const [own, latest] = await parts.files('reports');
		t.deepEqual([own.name, latest.name], [`daily.csv.${id}.json`, 'daily.csv.json']);
		t.is(own.blob_id, latest.blob_id);
		t.true(await parts.drops.remove(own));
		t.is(JSON.parse(await parts.read(latest)).id, id);
		t.true(await parts.drops.remove(latest));
		t.is(await blobs(), 1);
		const next = await process(parts, 'daily.csv', 'tuesday');
		t.true(await parts.drops.remove((await parts.files('reports')).find(({ name }) => name === 'daily.csv.json')!));
		t.deepEqual(await reports(parts), { [`daily.csv.${next.id}.json`]: next.id });
		await process(parts, 'daily.csv', 'wednesday');
		t.is((await parts.files('reports')).length, 3);
		const gone = await runRetention(
			{ ...parts, clock: after(91) },
			{ dropsDays: 300, failedInputsHours: 24, partialsHours: 48, reportsDays: 90 },
		);
		t.is(gone.reports, 2);
		t.is(await blobs(), 3, 'the outputs');
	});

	test(`${dialect}: the latest report as CSV is never that of an earlier file`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const setCsv = (csv: boolean) =>
			putFormatOptions(parts, { accountId: 7 as never, filter: ANY_FILTER }, { report: { csv } }, () => {});
		const tables = async () => (await parts.files('reports')).filter(({ name }) => name.endsWith('csv'));
		const named = async () => (await tables()).map(({ name, job_id }) => [name, job_id]);
		await setCsv(true);
		const monday = await process(parts, 'daily.csv', 'monday');
		const ofMonday = [`daily.csv.${monday.id}.csv`, monday.id];
		t.deepEqual(await named(), [ofMonday, ['daily.csv.csv', monday.id]]);
		const tuesday = await process(parts, 'daily.csv', MARKS.bad);
		const ofTuesday = [`daily.csv.${tuesday.id}.csv`, tuesday.id];
		t.deepEqual(await named(), [ofMonday, ofTuesday, ['daily.csv.csv', tuesday.id]]);
		await setCsv(false);
		await process(parts, 'daily.csv', 'wednesday');
		t.deepEqual(await named(), [ofMonday, ofTuesday]);
	});

	test(`${dialect}: from the moment a file is accepted its name shows no earlier report, in either direction`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const all = { accountId: 7 as never, filter: ANY_FILTER };
		await putFormatOptions(parts, all, { report: { csv: true } }, () => {});
		const named = async () => (await parts.files('reports')).map(({ name }) => name).sort();
		const own = (id: string) => [`daily.csv.${id}.csv`, `daily.csv.${id}.json`];
		const monday = await process(parts, 'daily.csv', 'monday');
		t.deepEqual(await named(), [...own(monday.id), 'daily.csv.csv', 'daily.csv.json']);
		// A client has removed the name with the id, so that only the other one is left of this report.
		const [ofJob] = (await parts.files('reports')).filter(({ name }) => name === own(monday.id)[0]);
		t.true(await parts.drops.remove(ofJob));
		const tuesday = await parts.put('daily.csv', MARKS.bad);
		t.deepEqual(await named(), own(monday.id));
		t.is(await runNext(parts), 'failed');
		t.is((await reports(parts))['daily.csv.json'], tuesday.id);
		await parts.put('daily.csv', 'back', { area: 'detokenize' });
		t.deepEqual(await named(), [...own(monday.id), ...own(tuesday.id)].sort());
		t.is(await retry(repaired(parts), tuesday), 'done');
		await runNext(parts);
		t.false((await reports(parts))['daily.csv.json'] === tuesday.id);
		t.is((await named()).length, 8);
	});

	test(`${dialect}: both directions of a name share the latest report, not the output`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const up = await process(parts, 'daily.csv', 'up');
		const back = await parts.put('daily.csv', 'back', { area: 'detokenize' });
		t.deepEqual(await shown(parts, 'tokenized'), { 'daily.csv': 'up' });
		await runNext(parts);
		t.deepEqual(await shown(parts, 'detokenized'), { 'daily.csv': 'back' });
		const own = { [`daily.csv.${up.id}.json`]: up.id, [`daily.csv.${back.id}.json`]: back.id };
		t.deepEqual(await reports(parts), { ...own, 'daily.csv.json': back.id });
	});

	test(`${dialect}: an attempt that lost its job neither takes nor frees a name`, async (t) => {
		const parts = await openJobParts(t, dialect);
		await parts.put('daily.csv', 'monday');
		const stale = (await parts.claim('dead'))!;
		await queueStore(parts.database.knex, dialect).requeueExpired(null, 0);
		const current = (await parts.claim('alive'))!;
		t.is((await runAttempt(parts, current)).state, 'done');
		const before = [await shown(parts, 'tokenized'), await shown(parts, 'reports')];
		t.is((await runAttempt(parts, stale)).state, 'done', 'told that it is, by somebody else');
		t.deepEqual([await shown(parts, 'tokenized'), await shown(parts, 'reports')], before);
	});

	test(`${dialect}: names as long as they may be have room for all that is put to them`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const name = `${'é'.repeat(98)}.csv`;
		t.is(Buffer.byteLength(name), 200);
		const failed = [await process(parts, name, MARKS.bad), await process(parts, name, MARKS.bad)];
		const first = await process(parts, name, 'one');
		await process(parts, name, 'two');
		t.deepEqual(await shown(parts, 'tokenized'), { [`${'é'.repeat(98)}.${first.id}.csv`]: 'one', [name]: 'two' });
		t.true((await parts.files('tokenize')).some((file) => file.name === `${name}.${failed[0].id}.failed`));
		for (const area of ['tokenize', 'tokenized', 'reports'] as const) {
			for (const file of await parts.files(area)) t.true(Buffer.byteLength(file.name) <= 255, file.name);
		}
	});
}
