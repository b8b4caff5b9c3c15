import test from 'ava';
import { openAttemptNotes } from '../../src/app/watches/attempt-notes.ts';
import { openMetrics } from '../../src/app/watches/metrics/metrics.ts';
import { openJobParts } from '../helpers/job-parts.ts';

test('numbers outside the places for cards are counted, and the log warns of their file', async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('may.csv', 'x\n');
	await parts.database.knex('jobs').where({ id }).update({ state: 'done', other_numbers: 3, cards: 2 });
	const sources = { sftpSessions: () => 0, sftpHeldBytes: () => 0, runningJobs: () => 0 };
	const metrics = openMetrics({
		...sources,
		queuedJobs: async () => 0,
		eliminationLimits: async () => 0,
		cardsRetired: async () => 0,
		keyDaysLeft: async () => new Map(),
		freeBytes: async () => 0,
	});
	const warned: unknown[] = [];
	const logger = { warn: (details: unknown) => void warned.push(details) } as never;
	const notes = openAttemptNotes({ database: parts.database, metrics, logger });
	notes.add(id, 'done');
	await notes.noted;
	t.regex(await metrics.registry.metrics(), /^tokendrop_other_numbers_total\{operation="tokenize",filter="GBT"\} 3$/m);
	t.deepEqual(warned, [{ jobId: id, filter: 'GBT', otherNumbers: 3 }]);
	await parts.database.knex('jobs').where({ id }).update({ other_numbers: 0 });
	notes.add(id, 'done');
	await notes.noted;
	t.is(warned.length, 1, 'of a file without such numbers there is nothing to say');
});

test('an allowance that is nearly used up is a warning, once a file of its account came through', async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('may.csv', 'x\n');
	const job = await parts.database.knex('jobs').where({ id }).first();
	await parts.database.knex('jobs').where({ id }).update({ state: 'done', cards: 2 });
	const account = { user_id: 'payer', kind: 'primary', cvv_retention: false, created_at: 1, allowance_limit: 10 };
	await parts.database.knex('accounts').where({ id: job.account_id }).delete();
	await parts.database.knex('accounts').insert({ ...account, id: job.account_id, allowance_used: 7 });
	const warned: unknown[] = [];
	const logger = { warn: (...line: unknown[]) => void warned.push(line) } as never;
	const metrics = openMetrics({
		...{ sftpSessions: () => 0, sftpHeldBytes: () => 0, runningJobs: () => 0, queuedJobs: async () => 0 },
		...{ eliminationLimits: async () => 0, freeBytes: async () => 0, cardsRetired: async () => 0 },
		keyDaysLeft: async () => new Map(),
	});
	const notes = openAttemptNotes({ database: parts.database, metrics, logger });
	notes.add(id, 'done');
	await notes.noted;
	t.deepEqual(warned, []);
	await parts.database.knex('accounts').update({ allowance_used: 8 });
	notes.add(id, 'done');
	await notes.noted;
	t.deepEqual(warned, [[{ jobId: id, user: 'payer', limit: 10, used: 8 }, 'an allowance is nearly used up']]);
});

test("a file that fails for what is in it is its sender's matter, and any other failure that of the installation", async (t) => {
	const parts = await openJobParts(t);
	const { id } = await parts.put('may.csv', 'x\n');
	const metrics = openMetrics({
		...{ sftpSessions: () => 0, sftpHeldBytes: () => 0, runningJobs: () => 0, queuedJobs: async () => 0 },
		...{ eliminationLimits: async () => 0, freeBytes: async () => 0, cardsRetired: async () => 0 },
		keyDaysLeft: async () => new Map(),
	});
	const counted = async () =>
		(await metrics.registry.metrics()).match(/^tokendrop_files_failed_total\{.*$/gm)!.map((line) => line.slice(29));
	t.deepEqual(await counted(), ['fault="sender"} 0', 'fault="installation"} 0']);
	const notes = openAttemptNotes({ database: parts.database, metrics, logger: { warn() {} } });
	for (const [reason, state] of [
		['file-malformed', 'failed'],
		['allowance-exceeded', 'failed'],
		['input-damaged', 'failed'],
		['kills-the-worker', 'failed'],
		['database-unavailable', 'failed'],
		['database-unavailable', 'queued'],
	]) {
		await parts.database.knex('jobs').where({ id }).update({ state, error_reason: reason });
		notes.add(id, state);
		await notes.noted;
	}
	t.deepEqual(await counted(), ['fault="sender"} 2', 'fault="installation"} 3']);
});
