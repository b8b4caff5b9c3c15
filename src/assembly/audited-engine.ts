import type { Audit } from '../audit/audit.ts';
import { jobStore } from '../jobs/job-store.ts';
import type { TransferEngine } from '../transfer/engine.ts';

/** An engine whose every published job is in the audit trail, in the transaction that publishes it. */
export function auditedEngine(engine: TransferEngine, audit: Pick<Audit, 'record'>): TransferEngine {
	return {
		run: (request) => engine.run(request),
		discard: (jobId) => engine.discard(jobId),
		async adopt(transaction, jobId) {
			await engine.adopt(transaction, jobId);
			const job = await jobStore(transaction).findById(jobId);
			if (!job) throw new Error(`internal error: job ${jobId} is published but does not exist`);
			// Last in its transaction: every other writer of the trail waits until it ends.
			await audit.record(
				{
					actor: job.user_id ?? 'daemon',
					action: `file.${job.operation}`,
					subject: `job ${jobId}`,
					details: { filter: job.filter, cards: job.cards, refused: job.refused },
				},
				transaction,
			);
		},
	};
}
