import type { Knex } from 'knex';
import type { Actor } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import type { JobError, JobRow } from './job.ts';

type Recording = Pick<Audit, 'record'>;

/**
 * Makes the audit entry for a failed job that a person sends to be tried again. The entry says who did so, and why the
 * job had failed.
 */
export function retryNote(audit: Recording, actor: Actor, job: JobRow) {
	return (transaction: Knex.Transaction): Promise<void> => {
		const { filter, name, operation, error_reason: reason } = job;
		const details = { filter, name, operation, reason };
		return audit.record({ actor, action: 'file.retry', subject: `job ${job.id}`, details }, transaction);
	};
}

/** Makes the audit entry for a job that failed for good. Its report says where in the file. */
export function failureNote(audit: Recording) {
	return (job: JobRow, { reason }: JobError, transaction: Knex.Transaction): Promise<void> => {
		const { filter, name, operation, attempts } = job;
		const entry = { actor: job.user_id ?? 'daemon', action: 'file.failed', subject: `job ${job.id}` };
		return audit.record({ ...entry, details: { filter, name, operation, reason, attempts } }, transaction);
	};
}
