import { OTHER_NUMBERS_FOUND } from '../audit/other-numbers.ts';
import type { AccountId, JobId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { accountStore } from '../identity/account-store.ts';
import { allowanceStore, type Usage } from '../identity/allowance-store.ts';
import { jobStore } from '../jobs/job-store.ts';
import { allowanceWarning } from '../ledger/allowance-texts.ts';
import type { FailureLog } from '../log/repeated.ts';
import type { Metrics } from './metrics.ts';

/**
 * Records the end of an attempt in metrics, and also in the log if it needs attention. If recording fails, nothing else
 * is affected.
 */
export async function noteAttempt(
	{ database, metrics, logger }: { database: Database; metrics: Metrics; logger: FailureLog },
	jobId: JobId,
	state: string,
): Promise<void> {
	try {
		const job = await jobStore(database.knex).findById(jobId);
		if (!job) return;
		const labels = { operation: job.operation, filter: job.filter };
		metrics.attempts.inc({ ...labels, state });
		const account = (await accountStore(database.knex).findById(job.account_id))?.user_id ?? 'unknown';
		const { cards, refused } = state === 'done' ? job : { cards: 0, refused: 0 };
		metrics.observeAccount({ account, operation: job.operation, state, cards, refused });
		if (state !== 'done') return;
		metrics.cards.inc({ ...labels, outcome: 'swapped' }, job.cards);
		metrics.cards.inc({ ...labels, outcome: 'refused' }, job.refused);
		const { filter, other_numbers: otherNumbers } = job;
		metrics.otherNumbers.inc(labels, otherNumbers);
		if (otherNumbers > 0) logger.warn({ jobId, filter, otherNumbers }, OTHER_NUMBERS_FOUND);
		const usage = job.operation === 'tokenize' && job.cards > 0 ? await usageOf(database, job) : undefined;
		if (usage && allowanceWarning(usage, 0)) logger.warn({ jobId, ...usage }, 'an allowance is nearly used up');
		metrics.bytes.inc(labels, job.bytes_total);
		if (job.finished_at !== null) metrics.jobSeconds.observe(labels, (job.finished_at - job.created_at) / 1000);
	} catch (error) {
		logger.warn({ err: error, jobId }, 'the figures of a job could not be noted');
	}
}

/** Returns the usage of the primary account that pays for a job. */
async function usageOf(
	{ knex }: Database,
	{ account_id: accountId }: { readonly account_id: AccountId },
): Promise<(Usage & { readonly user: string }) | undefined> {
	const account = await accountStore(knex).findById(accountId);
	const owner = account?.parent_id ? await accountStore(knex).findById(account.parent_id) : account;
	const usage = owner && (await allowanceStore(knex).findUsage(owner.id));
	return usage && { ...usage, user: owner.user_id };
}
