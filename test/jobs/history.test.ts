// Checks what is kept of a job for whoever asks later: why attempts failed, what it is found by, who fetched its output.

import test from 'ava';
import { systemClock } from '../../src/base/clock.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { requeueFailed } from '../../src/work/jobs/attempts/publish.ts';
import { parseDay } from '../../src/work/jobs/day.ts';
import { fetchStore, noteFetch } from '../../src/work/jobs/fetch-store.ts';
import { listedJob } from '../../src/work/jobs/job.ts';
import { jobStore } from '../../src/work/jobs/job-store.ts';
import { databases } from '../helpers/database.ts';
import { MARKS, NUMBER } from '../helpers/engine-double.ts';
import { openJobParts } from '../helpers/job-parts.ts';
import { until } from '../helpers/until.ts';

const quiet = { clock: systemClock, logger: { warn() {} } };

for (const dialect of databases) {
	test(`${dialect}: an attempt that is tried again says why, and a job tried again by hand too`, async (t) => {
		const parts = await openJobParts(t, dialect, { maxAttempts: 2 });
		const failures: string[] = [];
		const noting = { ...parts, onFailed: async ({ name }: { name: string }) => void failures.push(name) };
		const { id } = await parts.put('may.csv', `${MARKS.away}\n`);
		t.like(await runAttempt(noting, (await parts.claim())!), {
			state: 'queued',
			error: { reason: 'database-unavailable', message: 'the database was unavailable' },
		});
		const waiting = listedJob(await parts.job(id), 'agency');
		t.like(waiting, { state: 'queued', error: null, account: 'agency', attempts: 1 });
		t.like(waiting.lastFailure, { reason: 'database-unavailable', message: 'the database was unavailable' });
		t.regex(waiting.nextAttemptAt!, /^20/);
		t.deepEqual(failures, [], 'it has not failed yet');
		t.like(await runAttempt(noting, (await parts.claim('one', Date.now() + 1000))!), { state: 'failed' });
		t.deepEqual(failures, ['may.csv']);
		t.true(await requeueFailed(parts.database, await parts.job(id), Date.now()));
		t.like(listedJob(await parts.job(id), 'agency').lastFailure, { reason: 'database-unavailable' });
	});

	test(`${dialect}: what stands or falls with a failure fails it as a whole`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { id } = await parts.put('bad', `${MARKS.bad}\n`);
		const onFailed = async () => {
			throw new Error('the trail is away');
		};
		await t.throwsAsync(runAttempt({ ...parts, onFailed }, (await parts.claim())!), { message: 'the trail is away' });
		t.is((await parts.job(id)).state, 'running');
	});

	test(`${dialect}: jobs are found by folder, part of the name and day`, async (t) => {
		const parts = await openJobParts(t, dialect);
		for (const name of ['a%b.csv', 'axb.csv', 'Éa.csv']) await parts.put(name, `${NUMBER}\n`);
		const old = await parts.put('old.csv', `${NUMBER}\n`);
		const { fromMs, toMs } = parseDay('today', new Date());
		const store = jobStore(parts.database.knex);
		await store.update(old.id, {}, { created_at: fromMs - 1 });
		const names = async (filter: object) => (await parts.jobs(filter)).map(({ name }) => name);
		t.deepEqual(await names({ namePart: '%' }), ['a%b.csv']);
		t.deepEqual(await names({ namePart: 'É' }), ['Éa.csv']);
		t.deepEqual(await names({ namePart: 'old', fromMs, toMs }), []);
		t.deepEqual(await names({ toMs: fromMs }), ['old.csv']);
		t.is((await names({ filter: 'GBT' })).length, 4);
		t.deepEqual(await names({ filter: 'AIR' }), []);
	});

	test(`${dialect}: downloads are counted by user and door, and go with their job`, async (t) => {
		const parts = await openJobParts(t, dialect);
		const { knex } = parts.database;
		const { id } = await parts.put('may.csv', `${NUMBER}\n`);
		for (const userId of ['alice', 'alice', 'bob']) await noteFetch(knex, { jobId: id, userId, door: 'sftp' }, quiet);
		await noteFetch(knex, { jobId: id, userId: 'bob', door: 'http' }, quiet);
		const store = fetchStore(knex);
		t.deepEqual(
			(await store.listByJobs([id])).map(({ user_id, door, times }) => `${user_id} ${door} ${times}`).sort(),
			['alice sftp 2', 'bob http 1', 'bob sftp 1'],
		);
		const { fromMs, toMs } = parseDay('today', new Date());
		t.is((await store.countByUser(fromMs, toMs, 7 as AccountId)).length, 3);
		t.deepEqual(await store.countByUser(fromMs, toMs, 8 as AccountId), []);
		await jobStore(knex).update(id, {}, { state: 'done', finished_at: 1 });
		await jobStore(knex).removeEnded(2, 10);
		t.deepEqual(await store.listByJobs([id]), []);
	});
}

test('a download that cannot be noted is none the worse for it', async (t) => {
	const parts = await openJobParts(t);
	await parts.database.knex.schema.dropTable('job_fetches');
	const said: string[] = [];
	const logger = { warn: (_: object, message: string) => void said.push(message) };
	await noteFetch(parts.database.knex, { jobId: 'x' as never, userId: 'a', door: 'http' }, { ...quiet, logger });
	t.deepEqual(said, ['a download could not be noted']);
});

test('the log of a failed attempt is a warning with account, file and reason; that of a good one is not', async (t) => {
	const parts = await openJobParts(t);
	const { knex } = parts.database;
	const account = { user_id: 'agency', kind: 'primary', cvv_retention: 0, allowance_used: 0, created_at: 1 };
	await knex('accounts').insert({ id: 7, ...account });
	const lines: [string, Record<string, unknown>, string][] = [];
	const at = (level: string) => (details: object, message: string) => lines.push([level, { ...details }, message]);
	const logger = { info: at('info'), warn: at('warn'), error: at('error') };
	const good = await parts.put('good.csv', `${NUMBER}\n`);
	const bad = await parts.put('bad.csv', `${MARKS.bad}\n`);
	parts.startPool({ logger: logger as never });
	const of = (id: string) => lines.filter(([, details]) => details.jobId === id);
	await until('a line of each', () => of(good.id).length > 0 && of(bad.id).length > 0);
	t.like(of(good.id)[0], { 0: 'info', 2: 'attempt ended' });
	t.like(of(good.id)[0][1], { account: 'agency', file: 'good.csv', state: 'done' });
	t.like(of(bad.id)[0], { 0: 'warn', 2: 'attempt failed' });
	t.like(of(bad.id)[0][1], { account: 'agency', file: 'bad.csv', state: 'failed', reason: 'file-malformed' });
});

test('a day is read in UTC, and only one that there is', (t) => {
	const now = new Date('2026-05-31T23:30:00-02:00');
	t.is(new Date(parseDay('today', now).fromMs).toISOString(), '2026-06-01T00:00:00.000Z');
	t.is(new Date(parseDay('yesterday', now).toMs).toISOString(), '2026-06-01T00:00:00.000Z');
	t.is(new Date(parseDay('2024-02-29', now).fromMs).toISOString(), '2024-02-29T00:00:00.000Z');
	for (const text of ['2026-02-29', '2026-06-31', 'tomorrow', '', '2026-6-1', 'constructor']) {
		t.throws(() => parseDay(text, now), { message: /./ }, text);
	}
});
