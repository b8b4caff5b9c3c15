import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId, JobId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { isSendersMatter } from '../../base/errors.ts';
import type { FailureLog } from '../../base/log/repeated.ts';
import { Turns } from '../../base/threads/turns.ts';
import { AccountNames } from '../../people/identity/accounts/account-names.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import { allowanceStore } from '../../people/identity/accounts/allowance-store.ts';
import { OTHER_NUMBERS_FOUND } from '../../trail/other-numbers.ts';
import type { JobRow } from '../../work/jobs/job.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import { allowanceWarning } from '../../work/ledger/allowance-texts.ts';
import type { Metrics } from './metrics/metrics.ts';

/** When an attempt has ended, this time passes before it is noted, so that others that end meanwhile go with it. */
const TOGETHER_MS = 50;

/** Records how attempts at jobs ended: in the metrics, and also in the log if they need attention. */
export function openAttemptNotes(parts: { database: Database; metrics: Metrics; logger: FailureLog }) {
	const names = new AccountNames(accountStore(parts.database.knex));
	let waiting: Ended[] = [];
	const turns = new Turns();
	const noteWaiting = async () => {
		await sleep(TOGETHER_MS, undefined, { ref: false });
		const ended = waiting;
		waiting = [];
		await noteAll(parts, names, ended).catch((error: unknown) => {
			parts.logger.warn({ err: error, jobs: ended.length }, 'the figures of jobs could not be noted');
		});
	};
	return {
		/** Notes the end of an attempt a little later. Never throws; if noting it fails, nothing else is affected. */
		add(jobId: JobId, state: string): void {
			if (waiting.length === 0) void turns.run(noteWaiting);
			waiting.push({ jobId, state });
		},
		/** Resolves when every attempt added so far is noted. */
		get noted(): Promise<unknown> {
			return turns.ended;
		},
	};
}

interface Ended {
	readonly jobId: JobId;
	readonly state: string;
}

async function noteAll(
	{ database, metrics, logger }: { database: Database; metrics: Metrics; logger: FailureLog },
	names: AccountNames,
	ended: Ended[],
): Promise<void> {
	const rows = await jobStore(database.knex).listByIds([...new Set(ended.map(({ jobId }) => jobId))]);
	const jobs = new Map(rows.map((row) => [row.id, row]));
	await names.load(rows.map((row) => row.account_id));
	const storing = new Map<AccountId, JobId>();
	for (const { jobId, state } of ended) {
		const job = jobs.get(jobId);
		if (!job) continue;
		noteOne({ metrics, logger }, job, state, names.find(job.account_id) ?? 'unknown');
		if (state === 'done' && job.operation === 'tokenize' && job.cards > 0) storing.set(job.account_id, jobId);
	}
	for (const [accountId, jobId] of storing) await warnOfUsage({ database, logger }, accountId, jobId);
}

function noteOne(
	{ metrics, logger }: { logger: FailureLog; metrics: Metrics },
	job: JobRow,
	state: string,
	account: string,
): void {
	const { id: jobId, operation, filter } = job;
	const labels = { operation, filter };
	metrics.attempts.inc({ ...labels, state });
	const { cards, refused } = state === 'done' ? job : { cards: 0, refused: 0 };
	metrics.observeAccount({ account, operation, state, cards, refused });
	if (state === 'failed') {
		metrics.failedFiles.inc({ fault: isSendersMatter(job.error_reason ?? '') ? 'sender' : 'installation' });
	}
	if (state !== 'done') return;
	metrics.cards.inc({ ...labels, outcome: 'swapped' }, job.cards);
	metrics.cards.inc({ ...labels, outcome: 'refused' }, job.refused);
	const { other_numbers: otherNumbers } = job;
	metrics.otherNumbers.inc(labels, otherNumbers);
	if (otherNumbers > 0) logger.warn({ jobId, filter, otherNumbers }, OTHER_NUMBERS_FOUND);
	metrics.bytes.inc(labels, job.bytes_total);
	if (job.finished_at !== null) metrics.jobSeconds.observe(labels, (job.finished_at - job.created_at) / 1000);
}

/** Warns if the primary account that pays for a job has nearly used up its allowance. */
async function warnOfUsage(
	{ database: { knex }, logger }: { database: Database; logger: FailureLog },
	accountId: AccountId,
	jobId: JobId,
): Promise<void> {
	const account = await accountStore(knex).findById(accountId);
	const owner = account?.parent_id ? await accountStore(knex).findById(account.parent_id) : account;
	const usage = owner && (await allowanceStore(knex).findUsage(owner.id));
	if (!usage || !allowanceWarning(usage, 0)) return;
	logger.warn({ jobId, ...usage, user: owner.user_id }, 'an allowance is nearly used up');
}
