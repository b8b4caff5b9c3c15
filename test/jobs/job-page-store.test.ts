// Lists of jobs by state, period and a part of the name, with the same answers however many jobs there are.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { Database } from '../../src/base/database/open.ts';
import { askJobs, type JobFilter, listNewestJobs } from '../../src/work/jobs/job-page-store.ts';
import { databases } from '../helpers/database.ts';
import { openJobParts } from '../helpers/job-parts.ts';

const JOBS = 50_000;
const ACCOUNT = 7 as AccountId;
const DAY_MS = 86_400_000;
/** A minute lies between two jobs. */
const BEGUN = Date.parse('2026-01-01T00:00:00Z');

/** Adds jobs, of which those with even numbers belong to the account. */
async function fillJobs(database: Database): Promise<void> {
	const columns = {
		...{
			seq: 'n + 1',
			id: `'job-' || n`,
			account_id: `case when n % 2 = 0 then 7 else 8 end`,
			operation: `'tokenize'`,
		},
		...{ filter: `case when n % 5 = 0 then 'CSV' else 'GBT' end`, name: `'file-' || n || '.csv'`, input_id: '0' },
		state: `case when n = 100 then 'running' when n % 50 = 8 then 'failed' else 'done' end`,
		...{ attempts: '1', next_run_at: '0', bytes_read: '0', bytes_total: '0', cards: '0', refused: '0', warned: '0' },
		created_at: `${BEGUN} + n * 60000`,
	};
	await database.knex.raw(
		`insert into jobs (${Object.keys(columns)})
		 with recursive numbers(n) as (select cast(0 as bigint) union all select n + 1 from numbers where n + 1 < ${JOBS})
		 select ${Object.values(columns)} from numbers`,
	);
}

for (const dialect of databases) {
	test(`${dialect}: a part of a name is found among the newest jobs and the oldest, and every filter holds`, async (t) => {
		const { database } = await openJobParts(t, dialect);
		await fillJobs(database);
		const numbers = async (filter: Partial<JobFilter>) => {
			const jobs = await listNewestJobs(database, { accountId: ACCOUNT, limit: 3, ...filter });
			return jobs.map(({ name }) => Number(/\d+/.exec(name)![0]));
		};
		t.deepEqual(await numbers({ namePart: '-4999' }), [49_998, 49_996, 49_994], 'among the newest');
		t.deepEqual(await numbers({ namePart: 'file-12.' }), [12], 'the oldest too');
		t.deepEqual(await numbers({ namePart: '-123' }), [12_398, 12_396, 12_394], 'many, and all of them old');
		t.deepEqual(await numbers({ namePart: '-123', offset: 2 }), [12_394, 12_392, 12_390]);
		t.deepEqual(await numbers({ namePart: '-123', filter: 'CSV' }), [12_390, 12_380, 12_370]);
		t.deepEqual(await numbers({ namePart: '-123', state: 'failed' }), [12_358, 12_308]);
		t.deepEqual(await numbers({ namePart: '-123', accountId: undefined }), [12_399, 12_398, 12_397]);
		t.deepEqual(await numbers({ namePart: 'FILE-12.' }), [], 'in the same case');
		t.deepEqual(await numbers({ namePart: 'file_12%' }), [], 'without wildcards');
		t.deepEqual(await numbers({ namePart: 'file\\-12.' }), [], 'and without escapes');
		t.deepEqual(await numbers({ offset: 24_000 }), [1_998, 1_996, 1_994]);
		t.deepEqual(await numbers({ offset: 10, state: 'failed' }), [49_458, 49_408, 49_358]);
		t.deepEqual(await numbers({ offset: 25_000 }), []);
		t.deepEqual(await numbers({ state: 'running' }), [100]);
		t.deepEqual(await numbers({ state: 'running', namePart: '100' }), [100]);
		t.deepEqual(await numbers({ state: 'queued' }), []);
		t.deepEqual(await numbers({ state: 'waiting' }), [100]);
		t.deepEqual(await numbers({ state: 'done', toMs: BEGUN + 5 * 60_000 }), [4, 2, 0]);
		const day = { fromMs: BEGUN + 2 * DAY_MS, toMs: BEGUN + 3 * DAY_MS };
		t.deepEqual(await numbers(day), [4_318, 4_316, 4_314]);
		t.deepEqual(await numbers({ ...day, state: 'failed' }), [4_308, 4_258, 4_208]);
		t.deepEqual(await numbers({ fromMs: BEGUN + 1_000 * DAY_MS }), []);
		t.deepEqual(await numbers({ toMs: BEGUN }), []);
	});
}

for (const dialect of databases)
	test(`${dialect}: the pages of a part of a name are the same, wherever its jobs are and however they are found`, async (t) => {
		const { database } = await openJobParts(t, dialect);
		await fillJobs(database);
		for (const few of [undefined, 10]) {
			const ask = (namePart: string) => askJobs(database, { accountId: ACCOUNT, namePart }, few);
			const numbers = async (name: string, place: { after?: number; before?: number } = {}) => {
				const jobs = await ask(name).list({ ...place, limit: 3 });
				return jobs.map((job) => Number(job.seq) - 1);
			};
			t.deepEqual(await numbers('file-'), [49_998, 49_996, 49_994]);
			t.deepEqual(await numbers('file-', { after: 30_001 }), [29_998, 29_996, 29_994]);
			t.deepEqual(await numbers('file-', { before: 30_001 }), [30_006, 30_004, 30_002]);
			t.deepEqual(await numbers('file-9'), [9_998, 9_996, 9_994], 'only among the oldest');
			t.deepEqual(await numbers('file-9', { after: 9_995 }), [9_992, 9_990, 9_988]);
			t.deepEqual(await numbers('file-9', { before: 9_993 }), [9_998, 9_996, 9_994]);
			t.deepEqual(await numbers('file-4999', { before: 1 }), [49_994, 49_992, 49_990], 'only among the newest');
			t.deepEqual(await numbers('file-12.'), [12]);
			t.deepEqual(await numbers('FILE-'), []);
			t.is(await ask('file-9').count(10_001), 555);
			t.is(await ask('file-9').count(100), 100);
			t.is(await ask('le-9').count(10_001), 555, 'a part that is not the beginning');
			const failed = askJobs(database, { accountId: ACCOUNT, namePart: '-123', state: 'failed', filter: 'GBT' }, few);
			t.deepEqual(
				(await failed.list({ limit: 3 })).map(({ name }) => name),
				['file-12358.csv', 'file-12308.csv'],
			);
			t.deepEqual(
				(await failed.list({ before: 12_309, limit: 3 })).map(({ name }) => name),
				['file-12358.csv'],
			);
			t.is(await failed.count(10_001), 2);
			t.is(await failed.count(1), 1);
		}
	});

test('sqlite: a list of jobs reads no more than its page, or the jobs of its period and state', async (t) => {
	const { database } = await openJobParts(t);
	const asked: { sql: string; bindings: readonly unknown[] }[] = [];
	database.knex.on('query', ({ sql, bindings }) => void asked.push({ sql, bindings }));
	const plansOf = async (filter: Partial<JobFilter>): Promise<string> => {
		asked.splice(0);
		await listNewestJobs(database, { accountId: ACCOUNT, limit: 100, ...filter });
		const { sql, bindings } = asked.at(-1)!;
		const plan: { detail: string }[] = await database.knex.raw(`explain query plan ${sql}`, bindings as never);
		return plan.map(({ detail }) => detail).join('; ');
	};
	await database.knex('jobs').insert({
		...{ id: 'one', account_id: ACCOUNT, operation: 'tokenize', filter: 'CSV', name: 'a', state: 'done', input_id: 0 },
		...{ attempts: 1, next_run_at: 0, bytes_read: 0, bytes_total: 0, cards: 0, refused: 0, warned: 0, created_at: 5 },
	});
	t.regex(await plansOf({ state: 'running' }), /jobs_running \(account_id=\?\)/);
	t.is(await plansOf({ state: 'failed' }), 'SEARCH jobs USING INDEX jobs_failed (account_id=?)');
	t.is(await plansOf({ state: 'queued' }), 'SEARCH jobs USING INDEX jobs_waiting (account_id=?)');
	t.regex(await plansOf({ fromMs: 1, toMs: 9 }), /jobs_by_account \(account_id=\? AND seq>\? AND seq<\?\)/);
});
