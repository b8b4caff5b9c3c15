import type { Knex } from 'knex';
import type { AccountDirectory } from '../../engine/engine.ts';
import { requireClaimed } from '../../work/jobs/attempts/end-jobs.ts';
import type { JobRow } from '../../work/jobs/job.ts';
import type { JobLedgers } from '../../work/jobs/rooms.ts';
import { endPasses, type LedgerRooms, openLedger } from '../../work/ledger/ledger.ts';
import { jobPass } from '../../work/ledger/passes.ts';

/**
 * Returns a function that opens the ledger of a job, which keeps the books of its pass over cards. The account that
 * owns the file pays.
 */
export function jobLedgers(rooms: LedgerRooms & { readonly accounts: AccountDirectory }): JobLedgers {
	const { dialect } = rooms.database;
	const requireOurs = (job: JobRow) => (transaction: Knex.Transaction) => requireClaimed(transaction, dialect, [job]);
	return {
		async open(job) {
			const { id, account_id, user_id, operation, filter, name } = job;
			const pass = jobPass(id, Date.now());
			const payer = await rooms.accounts.getAccount(account_id);
			const ledger = openLedger(rooms, {
				...{ kind: 'job', id: pass.id, storesCards: operation === 'tokenize' },
				job: { id, requireOurs: requireOurs(job) },
				payer,
				...{
					actor: user_id === null ? 'daemon' : { userId: user_id, accountId: payer.ownerId },
					subject: `job ${id}`,
					action: `file.${operation}`,
				},
				details: { filter, name },
			});
			return { ...ledger, pass };
		},
		end: (ends, transaction) => endPasses(rooms, ends, transaction),
		drop: (job) => rooms.engine.discardAttempts(job.id, { requireOurs: requireOurs(job) }),
	};
}
