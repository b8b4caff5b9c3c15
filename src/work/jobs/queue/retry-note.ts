import type { Knex } from 'knex';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { JobError, JobRow } from '../job.ts';

type Recording = Pick<Audit, 'record'>;

/**
 * Returns a function that records in the audit trail that a person retries a failed job. The entry says who did so, and
 * why the job had failed.
 */
export function retryNote(audit: Recording, actor: Actor, job: JobRow) {
	return (transaction: Knex.Transaction): Promise<void> => {
		const { filter, name, operation, error_reason: reason } = job;
		const details = { filter, name, operation, reason };
		const entry = { actor, action: 'file.retry', subject: `job ${job.id}`, account: { within: job.account_id } };
		return audit.record({ ...entry, details }, transaction);
	};
}

/** Returns what records that a job failed for good. Its report says at which place in the file. */
export function failureNote(audit: Recording) {
	return (job: JobRow, { reason }: JobError, transaction: Knex.Transaction): Promise<void> => {
		const { filter, name, operation, attempts } = job;
		const entry = { actor: job.user_id ?? 'daemon', action: 'file.failed', subject: `job ${job.id}` };
		const details = { filter, name, operation, reason, attempts };
		return audit.record({ ...entry, account: { within: job.account_id }, details }, transaction);
	};
}
