import type { Knex } from 'knex';
import { systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type AccountDirectory, transferEngine } from '../../engine/engine.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Audit } from '../../trail/audit.ts';
import { requireClaimed } from '../../work/jobs/attempts/end-jobs.ts';
import type { JobRow } from '../../work/jobs/job.ts';
import type { JobLedgers } from '../../work/jobs/worker-parts.ts';
import { jobPass, type LedgersOptions, openLedgers } from '../../work/ledger/ledger.ts';
import { accountDirectory } from './account-directory.ts';
import { openFormats } from './open-formats.ts';
import { eliminationLimit } from './report-elimination-limit.ts';

/** Opens the engine for every format, with an open database, keys and accounts. Jobs, HTTP and commands all use it. */
export async function boundEngine(
	parts: { database: Database; keyRing: KeyRing; audit: Audit; identity: Identity; logger?: Logger },
	settings: Pick<Settings, 'transfer' | 'elimination'>,
) {
	const { database, keyRing, identity } = parts;
	const elimination = eliminationLimit(parts, settings);
	const accounts = accountDirectory(identity);
	const formats = await openFormats(parts);
	const clock = systemClock;
	const limits = settings.transfer;
	const engine = transferEngine({ database, keyRing, formats, accounts, clock, limits, elimination });
	return { engine, accounts, formats };
}

/** The ledgers of jobs keep the books of their passes over cards. The account that owns the file pays. */
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
