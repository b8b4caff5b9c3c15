import test, { type ExecutionContext } from 'ava';
import { parse } from 'csv-parse/sync';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import { removeOrphans } from '../../src/work/drops/check-drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { ANY_FILTER, mergedOptions, putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { findFailure, jobDocument } from '../../src/work/jobs/job.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { collect } from '../helpers/file-parts.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

const LINES = `one ${NUMBER}\ntwo ${NUMBER} ${NUMBER}\n`;
const SWAPPED = LINES.replaceAll(NUMBER, TOKEN);

async function blobCount(parts: JobParts): Promise<number> {
	return (await collect(parts.blobs.list())).length;
}

async function reportOf(parts: JobParts, name: string): Promise<Record<string, unknown>> {
	const file = (await parts.files('reports')).find((each) => each.name === name)!;
	return JSON.parse(await parts.read(file));
}

for (const dialect of databases) {
	test(`${dialect}: a file is swapped, published whole, reported, and its input goes`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const accepted = await parts.put('may.csv', LINES);
		const job = (await parts.claim())!;
		t.deepEqual(await runAttempt(parts, job), { state: 'done' });
		const [output] = await parts.files('tokenized');
		t.like(output, { name: 'may.csv', size: SWAPPED.length, state: 'ready', job_id: accepted.id });
		t.is(await parts.read(output), SWAPPED);
		t.deepEqual(await parts.files('tokenize'), []);
		const done = await parts.job(accepted.id);
		t.like(done, { state: 'done', cards: 3, bytes_read: LINES.length, output_id: output.id, claimed_by: null });
		const report = await reportOf(parts, `may.csv.${job.id}.json`);
		t.like(report, { ...jobDocument(done), entries: [] });
		t.like(report.counts, { cards: 3, records: 2, refused: 0 });
		t.is(await blobCount(parts), 2, 'output and report; input and spools are gone');
		t.deepEqual(
			await parts.database
				.knex('engine_pages')
				.select('job_id', 'adopted')
				.then((rows) => rows.map((row) => [row.job_id, Boolean(row.adopted)])),
			[[job.id, true]],
		);
	});

	test(`${dialect}: a bad file fails at once with reason and position, keeps its input and shows no output`, async (t) => {
		const parts = await openJobParts(t, dialect);
		await parts.put('may.csv', `${LINES}${MARKS.bad}\n`);
		const job = (await parts.claim())!;
		t.like(await runAttempt(parts, job), { state: 'failed', error: { reason: 'file-malformed' } });
		t.deepEqual(await parts.files('tokenized'), []);
		const report = await reportOf(parts, `may.csv.${job.id}.json`);
		const at = { offset: SWAPPED.length, line: 3, record: 3 };
		const error = { reason: 'file-malformed', message: 'expected a line without the word', at };
		t.like(report, { state: 'failed', counts: null, entries: [] });
		t.deepEqual(report.error, error);
		t.deepEqual(jobDocument(await parts.job(job.id)).error as unknown, error);
		t.like(findFailure(await parts.job(job.id)), { code: 'file-malformed', next: 'correct-file', retry: 'no' });
		t.is((await parts.files('tokenize'))[0].state, 'failed');
		t.is(await blobCount(parts), 2, 'input and report');
		t.deepEqual(await parts.database.knex('engine_pages'), []);
	});
}

test('a failed job runs again on request, and its report is replaced', async (t) => {
	const parts = await openJobParts(t);
	await parts.put('may.csv', `${MARKS.bad}\n`);
	const failed = (await parts.claim())!;
	await runAttempt(parts, failed);
	t.true(await requeueFailed(parts.database, await parts.job(failed.id), Date.now()));
	t.false(await requeueFailed(parts.database, await parts.job(failed.id), Date.now()), 'it is queued already');
	t.is((await parts.job(failed.id)).state, 'queued');
	const good = { ...parts, engine: { ...parts.engine, run: async () => ({ ...(await emptyRun()), bytesRead: 5 }) } };
	t.deepEqual(await runAttempt(good, (await parts.claim())!), { state: 'done' });
	t.like(await reportOf(parts, `may.csv.${failed.id}.json`), { state: 'done', error: null });
	t.like(await reportOf(parts, 'may.csv.json'), { id: failed.id, state: 'done' });
	t.is((await parts.files('reports')).length, 2, 'its own, and the latest of the name');
	t.is(await blobCount(parts), 2);
});

async function emptyRun() {
	const { emptySummary } = await import('../../src/engine/report.ts');
	return emptySummary();
}

const retried = test.macro({
	title: (_, what: string) => `${what} is retried, at last fails, and says nothing of the content`,
	async exec(t: ExecutionContext, _what: string, mark: string, reason: string, isUnexpected: boolean) {
		const parts = await openJobParts(t);
		await parts.put('may.csv', `${LINES}${mark}\n`);
		for (const [attempt, state] of [
			[1, 'queued'],
			[2, 'queued'],
			[3, 'failed'],
		] as const) {
			const job = (await parts.claim('one', Date.now() + 1000))!;
			t.is(job.attempts, attempt);
			const settlement = await runAttempt(parts, job);
			t.is(settlement.state, state);
			t.is(settlement.unexpected !== undefined, isUnexpected);
			t.is((await parts.job(job.id)).claimed_by, null);
			t.deepEqual(await parts.database.knex('engine_pages'), []);
		}
		const [job] = await parts.jobs();
		t.is(job.error_reason, reason);
		t.notRegex(job.error_message!, /4111|gone/);
		t.is(await blobCount(parts), 2, 'input and report');
	},
});
test(retried, 'a database that is away', MARKS.away, 'database-unavailable', false);
test(retried, 'a bug', MARKS.bug, 'system-error', true);

test('an input that was altered on disk fails at once', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('may.csv', LINES);
	const [input] = await parts.files('tokenize');
	const blob = await parts.blobs.append(input.blob_id);
	await blob.write(Buffer.from('eight by'), 100);
	await blob.close();
	t.is((await runAttempt(parts, (await parts.claim())!)).state, 'failed');
	t.is((await parts.job(job.id)).error_reason, 'input-damaged');
});

test('an input whose sealed file is gone fails at once', async (t) => {
	const parts = await openJobParts(t);
	const job = await parts.put('may.csv', LINES);
	await parts.blobs.remove((await parts.files('tokenize'))[0].blob_id);
	t.is((await runAttempt(parts, (await parts.claim())!)).state, 'failed');
	t.is((await parts.job(job.id)).error_reason, 'input-missing');
});

test('a full disk while processing leaves nothing behind and is tried again', async (t) => {
	let isFull = true;
	const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
	const parts = await openJobParts(t);
	await parts.put('may.csv', LINES);
	const blobs: BlobStore = {
		...parts.blobs,
		create: (id: string) => (isFull ? Promise.reject(full) : parts.blobs.create(id)),
		holding: () => ({ ...blobs, held: new Map() }),
	};
	t.is((await runAttempt({ ...parts, blobs }, (await parts.claim())!)).state, 'queued');
	t.is(await blobCount(parts), 1);
	isFull = false;
	t.is((await runAttempt({ ...parts, blobs }, (await parts.claim('one', Date.now() + 1000))!)).state, 'done');
});

test('an attempt whose job was taken away publishes nothing', async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('may.csv', LINES);
	const stale = (await parts.claim('dead'))!;
	await parts.database.knex('jobs').where({ id }).update({ state: 'queued', claimed_by: null });
	const current = (await parts.claim('alive'))!;
	t.deepEqual(await runAttempt(parts, stale), { state: 'lost' });
	t.deepEqual(await parts.files('tokenized'), []);
	t.is((await parts.job(id)).claimed_by, 'alive');
	t.deepEqual(await runAttempt(parts, current), { state: 'done' });
	t.deepEqual(await runAttempt(parts, current), { state: 'done' }, 'told again, without doing it again');
	t.is((await parts.files('tokenized')).length, 1);
	t.is(await blobCount(parts), 2);
});

test('a commit whose answer was lost is found to have happened', async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('may.csv', LINES);
	const job = (await parts.claim())!;
	// This database publishes for real, and then reports the failure that a broken connection would.
	const knex = parts.database.knex;
	const database = {
		...parts.database,
		knex: new Proxy(knex, {
			get(target, name) {
				if (name !== 'transaction') return Reflect.get(target, name);
				return async (work: never) => {
					await target.transaction(work);
					throw Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
				};
			},
		}),
	};
	t.deepEqual(await runAttempt({ ...parts, database }, job), { state: 'done' });
	t.is((await parts.job(id)).state, 'done');
	t.is(await parts.read((await parts.files('tokenized'))[0]), SWAPPED);
	await removeOrphans(parts, Date.now() + 1000);
	t.is(await parts.read((await parts.files('tokenized'))[0]), SWAPPED, 'orphans are swept, published blobs are not');
});

test('a report of many entries is valid JSON and CSV, its counts first', async (t) => {
	const parts = await openJobParts(t);
	const accountId = 7 as never;
	const options = { report: { csv: true, cards: 'all' } };
	await putFormatOptions(parts, { accountId, filter: ANY_FILTER }, options, () => {});
	await parts.put('may.csv', `${MARKS.refused}, "quoted"\n`.repeat(20_000));
	const job = (await parts.claim())!;
	await runAttempt(parts, job);
	const reports = await parts.files('reports');
	const endings = ['csv', 'json'];
	t.deepEqual(
		reports.map(({ name }) => name),
		[...endings.map((ending) => `may.csv.${job.id}.${ending}`), ...endings.map((ending) => `may.csv.${ending}`)],
	);
	const [csv, json] = reports;
	const text = await parts.read(json);
	t.true(text.indexOf('"counts"') < text.indexOf('"entries"'));
	const report = JSON.parse(text);
	t.is(report.refused, 20_000);
	t.is(report.entries.length, 20_000);
	t.deepEqual(report.entries[1], {
		record: 2,
		line: 2,
		offset: 19,
		outcome: 'refused',
		reason: 'Luhn (Mod10) error',
		lastFour: '1112',
	});
	const rows: Record<string, string>[] = parse(await parts.read(csv), { columns: true });
	t.is(rows.length, 20_010, 'every entry, and the first places');
	t.like(rows[20_009], { record: '20000', reason: 'Luhn (Mod10) error', lastFour: '1112', warnings: '' });
	t.is(await blobCount(parts), 3, 'output and reports');
});

test('unless all are asked for, a report has at most 1,000 entries and a tenth of its input', async (t) => {
	const parts = await openJobParts(t);
	const input = `${MARKS.refused}, "quoted"\n`.repeat(20_000);
	await parts.put('may.csv', input);
	await runAttempt(parts, (await parts.claim())!);
	const [json] = await parts.files('reports');
	t.true(json.size <= input.length / 10 + 65_536);
	const report = JSON.parse(await parts.read(json));
	t.is(report.entries.length + report.entriesOmitted, 20_000);
	t.true(report.entries.length > 500 && report.entries.length <= 1_000);
	t.like(report.refusals, { length: 1, 0: { text: 'Luhn (Mod10) error', cards: 20_000 } });
});

for (const cards of ['exceptions', 'all']) {
	test(`the report of a file that failed has what was found in it, as JSON and CSV: ${cards}`, async (t) => {
		const parts = await openJobParts(t);
		const scope = { accountId: 7 as never, filter: ANY_FILTER };
		await putFormatOptions(parts, scope, { report: { csv: true, cards } }, () => {});
		await parts.put('may.csv', `${MARKS.refused}\n${MARKS.refused}\n${MARKS.bad}\n`);
		t.is((await runAttempt(parts, (await parts.claim())!)).state, 'failed');
		const [csv, json] = await parts.files('reports');
		const report = JSON.parse(await parts.read(json));
		t.like(report, { state: 'failed', counts: null, entriesOmitted: 0 });
		t.deepEqual(
			report.entries.map((entry: { line: number }) => entry.line),
			[1, 2],
		);
		t.is(report.refusals[0].cards, 2);
		t.regex(await parts.read(csv), /\n2,2,9,refused,Luhn/);
		t.is(await blobCount(parts), 3, 'input and reports');
	});
}

test('options merge from account over folder to job', async (t) => {
	const parts = await openJobParts(t);
	const accountId = 7 as never;
	const none = () => {};
	await putFormatOptions(
		parts,
		{ accountId, filter: '*' },
		{ onRefused: 'mask', report: { csv: true, cards: 'all' } },
		none,
	);
	await putFormatOptions(
		parts,
		{ accountId, filter: 'GBT' },
		{ onRefused: 'pass', report: { cards: 'exceptions' }, columns: [1, 2] },
		none,
	);
	await putFormatOptions(parts, { accountId, filter: 'CSV' }, { onRefused: 'reject' }, none);
	t.deepEqual(await mergedOptions(parts, { accountId, filter: 'GBT' }, '{"columns":[3]}'), {
		onRefused: 'pass',
		report: { csv: true, cards: 'exceptions' },
		columns: [3],
	});
	t.deepEqual(await mergedOptions(parts, { accountId: 8 as never, filter: 'GBT' }), {});
	const refuse = () => {
		throw new Error('does not fit');
	};
	await t.throwsAsync(putFormatOptions(parts, { accountId, filter: 'CSV' }, {}, refuse), {
		message: 'does not fit',
	});
});
