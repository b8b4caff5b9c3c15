import type { Knex } from 'knex';
import type { AccountDirectory } from '../../engine/engine.ts';
import { requireClaimed } from '../../work/jobs/attempts/end-jobs.ts';
import type { JobRow } from '../../work/jobs/job.ts';
import type { JobLedgers } from '../../work/jobs/worker-parts.ts';
import { type LedgersOptions, openLedgers } from '../../work/ledger/ledger.ts';
import { jobPass } from '../../work/ledger/passes.ts';

/**
 * Opens the ledgers of jobs, which keep the books of their passes over cards. The account that owns the file pays.
 */
export function jobLedgers(options: LedgersOptions & { readonly accounts: AccountDirectory }): JobLedgers {
	const { accounts, engine } = options;
	const { dialect } = options.database;
	const ledgers = openLedgers(options);
	const requireOurs = (job: JobRow) => (transaction: Knex.Transaction) => requireClaimed(transaction, dialect, [job]);
	return {
		async open(job) {
			const { id, account_id, user_id, operation, filter, name } = job;
			const pass = jobPass(id, Date.now());
			const payer = await accounts.getAccount(account_id);
			const ledger = ledgers.open({
				kind: 'job',
				id: pass.id,
				storesCards: operation === 'tokenize',
				job: { id, requireOurs: requireOurs(job) },
				payer,
				actor: user_id === null ? 'daemon' : { userId: user_id, accountId: payer.ownerId },
				subject: `job ${id}`,
				action: `file.${operation}`,
				details: { filter, name },
			});
			return { ...ledger, pass };
		},
		end: (ends, transaction) => ledgers.end(ends, transaction),
		drop: (job) => engine.discardAttempts(job.id, { requireOurs: requireOurs(job) }),
	};
}
