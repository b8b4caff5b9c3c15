// Measures how long a page of the list of files takes where an account has 1,000,000 of them, with the count above it.

import type { AccountId } from '../src/base/database/ids.ts';
import type { Database } from '../src/base/database/open.ts';
import { askJobs, type JobQuestion } from '../src/work/jobs/job-page-store.ts';
import { slowestRow } from './slowest.ts';
import type { BenchRow } from './table.ts';

const ASKED = 20;
const MUST_MS = 100;
const PAGE_LENGTH = 51;
const MOST_COUNTED = 10_001;
const ACCOUNT = 1 as AccountId;

/** Measures the list over the jobs that `searchRow` has made: job n has the name `file-n.csv` and was accepted n seconds after 1970. */
export async function listRow(name: string, database: Database): Promise<BenchRow> {
	const [{ jobs }] = await database.knex('jobs').count({ jobs: '*' });
	const middle = Math.floor(Number(jobs) / 2);
	const asked: Record<string, [JobQuestion, { after?: number; before?: number }?]> = {
		first: [{}],
		middle: [{}, { after: middle }],
		backward: [{}, { before: middle }],
		format: [{ filter: 'GBT' }],
		'no-format': [{ filter: 'CSV' }],
		failed: [{ state: 'failed' }],
		'few-names': [{ namePart: 'file-7777' }],
		'many-names': [{ namePart: 'file-1' }],
		days: [{ fromMs: 1_000 * middle, toMs: 1_000 * middle + 86_400_000 }],
		'days-and-name': [{ fromMs: 1_000 * middle, namePart: 'file-9' }],
	};
	return slowestRow(
		Object.entries(asked).map(([what, [question, place]]) => ({
			what,
			figure: `questions/${name}/list-${what}`,
			ask: () => {
				const fitting = askJobs(database, { accountId: ACCOUNT, ...question });
				return Promise.all([fitting.list({ ...place, limit: PAGE_LENGTH }), fitting.count(MOST_COUNTED)]);
			},
		})),
		{ of: `lists of files, of ${Number(jobs).toLocaleString('en')}, ${name}`, runs: ASKED, goal: { must: MUST_MS } },
	);
}
