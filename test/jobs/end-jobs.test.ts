// Checks that jobs which end at the same moment share one transaction.

import test, { type ExecutionContext } from 'ava';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import type { JobEnds } from '../../src/work/jobs/attempts/end-jobs.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { databases } from '../helpers/database.ts';
import { NUMBER, TOKEN } from '../helpers/engine-double.ts';
import { type JobParts, openJobParts } from '../helpers/job-parts.ts';

/** Claims all queued jobs, and lets their attempts end together. */
async function runTogether(parts: JobParts, before?: (jobs: readonly JobRow[]) => Promise<void>): Promise<string[]> {
	const jobs: JobRow[] = [];
	for (let job = await parts.claim(); job; job = await parts.claim()) jobs.push(job);
	await before?.(jobs);
	// The first attempts wait for the last one, so that all of them end at the same moment.
	const all = Promise.withResolvers<void>();
	let ready = 0;
	const ends: JobEnds = async (done) => {
		if (++ready === jobs.length) all.resolve();
		await all.promise;
		return parts.ends(done);
	};
	const settlements = await Promise.all(jobs.map((job) => runAttempt({ ...parts, ends }, job)));
	return settlements.map(({ state }) => state);
}

/**
 * Lists the statements that are sent while transactions are open, but for those that open and end them. SQLite has one
 * connection, so nothing else is sent meanwhile.
 */
function watchTransactions({ database }: JobParts) {
	const statements: string[] = [];
	let commits = 0;
	let isOpen = false;
	database.knex.on('query', ({ sql }: { sql: string }) => {
		if (/^commit/i.test(sql)) commits++;
		if (/^(begin|commit|rollback)/i.test(sql)) isOpen = /^begin/i.test(sql);
		else if (isOpen) statements.push(sql);
	});
	return { statements, commits: () => commits };
}

async function namesIn(parts: JobParts, area: 'tokenize' | 'tokenized' | 'reports', accountId?: number) {
	return (await parts.files(area, accountId)).map(({ name }) => name).sort();
}

async function putMany(parts: JobParts, count: number): Promise<JobRow[]> {
	const jobs: JobRow[] = [];
	for (let n = 0; n < count; n++) {
		const content = `${NUMBER} of file ${n}\n`.repeat(n + 1);
		jobs.push(await parts.put(`${n}.csv`, content, { accountId: n % 2 ? 7 : 8 }));
	}
	return jobs;
}

async function statementsFor(t: ExecutionContext, count: number): Promise<number> {
	const parts = await openJobParts(t);
	await putMany(parts, count);
	const { statements } = watchTransactions(parts);
	t.true((await runTogether(parts)).every((state) => state === 'done'));
	return statements.length;
}

for (const dialect of databases) {
	test(`${dialect}: jobs that end together each get their own output, report and counts`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const jobs = await putMany(parts, 6);
		t.deepEqual(await runTogether(parts), Array(6).fill('done'));
		for (const [n, { id, account_id }] of jobs.entries()) {
			const job = await parts.job(id);
			t.like(job, { state: 'done', cards: n + 1, claimed_by: null, lease_until: null, error_reason: null });
			t.is(JSON.parse(job.summary!).cards, n + 1);
			const output = (await parts.files('tokenized', account_id)).find((file) => file.id === job.output_id)!;
			t.like(output, { name: `${n}.csv`, job_id: id });
			t.is(await parts.read(output), `${TOKEN} of file ${n}\n`.repeat(n + 1));
			const report = (await parts.files('reports', account_id)).find((file) => file.id === job.report_id)!;
			t.is(report.name, `${n}.csv.${id}.json`);
			t.is(JSON.parse(await parts.read(report)).id, id);
		}
		for (const accountId of [7, 8]) t.deepEqual(await namesIn(parts, 'tokenize', accountId), []);
	});

	test(`${dialect}: of jobs that end together, one that was taken away publishes nothing, and the others end`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const jobs = await putMany(parts, 4);
		const states = await runTogether(parts, async () => {
			await parts.database.knex('jobs').where({ id: jobs[1].id }).update({ claimed_by: 'somebody else' });
		});
		t.deepEqual(states.toSorted(), ['done', 'done', 'done', 'lost']);
		t.deepEqual(await namesIn(parts, 'tokenized', 7), ['3.csv']);
		t.deepEqual(await namesIn(parts, 'tokenized', 8), ['0.csv', '2.csv']);
		t.like(await parts.job(jobs[1].id), { state: 'running', claimed_by: 'somebody else' });
	});

	test(`${dialect}: jobs of one name that end at the same moment leave the latest report to the later one`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const first = await parts.put('may.csv', `${NUMBER}\n`);
		const second = await parts.put('may.csv', `${TOKEN}\n`, { area: 'detokenize' });
		t.deepEqual(await runTogether(parts), ['done', 'done']);
		const own = [first, second].map(({ id }) => `may.csv.${id}.json`).sort();
		t.deepEqual(await namesIn(parts, 'reports'), [...own, 'may.csv.json'].sort());
		const latest = (await parts.files('reports')).find(({ name }) => name === 'may.csv.json')!;
		t.is(latest.job_id, second.id);
		t.is((await parts.files('tokenized')).length, 1);
		t.is((await parts.files('detokenized')).length, 1);
	});
}

test('jobs that end together share their statements', async (t) => {
	const alone = await statementsFor(t, 1);
	t.true(alone > 5);
	t.is(await statementsFor(t, 8), alone);
});

test('jobs that end together share a commit', async (t) => {
	const parts = await openJobParts(t);
	await putMany(parts, 8);
	const { commits } = watchTransactions(parts);
	await runTogether(parts);
	t.is(commits(), 1);
});
