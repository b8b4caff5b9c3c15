import type { Audit } from '../audit/audit.ts';
import type { JobId } from '../database/ids.ts';
import type { Allowance } from '../identity/allowance.ts';
import { jobStore } from '../jobs/job-store.ts';
import { endPass } from '../ledger/ledger.ts';
import type { AccountDirectory, TransferAccount, TransferEngine } from '../transfer/engine.ts';
import { allowanceWarning, explainRefusal } from './allowance-texts.ts';

/**
 * Opens an engine that counts and records what it does. A file is checked against the allowance before it starts, and
 * is finished once begun (shapes §11). The transaction that publishes the job also counts its cards and writes its
 * entry in the audit trail.
 */
export function accountedEngine(
	engine: TransferEngine,
	rooms: {
		readonly audit: Pick<Audit, 'record'>;
		readonly allowance: Pick<Allowance, 'check' | 'count' | 'findUsage'>;
		readonly accounts: AccountDirectory;
	},
): TransferEngine {
	const { audit, allowance, accounts } = rooms;
	/** The job that ran last, with the account that pays; a worker has one job at a time. */
	let ran: { readonly jobId: JobId; readonly payer: TransferAccount } | undefined;
	return {
		async run(request) {
			// The account is read here, because within the publishing transaction SQLite's one connection is taken.
			const account = await accounts.getAccount(request.accountId);
			ran = request.jobId && { jobId: request.jobId, payer: account };
			if (request.direction !== 'tokenize') return engine.run(request);
			await allowance.check(account).catch((error) => explainRefusal(allowance, account.ownerId, error));
			const summary = await engine.run(request);
			const warning = allowanceWarning(await allowance.findUsage(account.ownerId), summary.cards);
			return warning === undefined ? summary : { ...summary, notices: [...summary.notices, warning] };
		},
		discard: (passId) => engine.discard(passId),
		async adopt(transaction, passId) {
			const job = ran?.jobId === passId ? await jobStore(transaction).findById(ran.jobId) : undefined;
			if (!ran || !job) throw new Error(`internal error: job ${passId} is published without having run here`);
			const { payer } = ran;
			const { filter, name, cards, refused, other_numbers: otherNumbers } = job;
			const entry = { actor: job.user_id ?? 'daemon', subject: `job ${job.id}`, action: `file.${job.operation}` };
			await endPass(
				{ audit, allowance, engine },
				{ id: job.id, payer, ...entry },
				{
					details: { filter, name, cards, refused },
					units: job.operation === 'tokenize' ? cards : 0,
					others: { filter, otherNumbers },
				},
				transaction,
			);
		},
	};
}
