// Reports in the log and in the audit trail that too many similar card numbers were sent under duplicate elimination,
// because somebody may be guessing numbers.

import type { Database } from '../../base/database/open.ts';
import type { Logger } from '../../base/log/log.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { accountStore } from '../../people/identity/accounts/account-store.ts';
import type { Audit } from '../../trail/audit.ts';
import type { EliminationLimit } from '../../vault/cards/elimination.ts';

/**
 * Returns the limit from the settings, and what to do when it is passed: record it in the trail and warn in the log. A
 * command has no log, so it only records.
 */
export function eliminationLimit(
	{ database, audit, logger }: { database: Database; audit: Pick<Audit, 'record'>; logger?: Pick<Logger, 'warn'> },
	{ elimination }: Pick<Settings, 'elimination'>,
): EliminationLimit {
	return {
		numbersPerDay: elimination.numbersPerDay,
		async onPassed({ accountId, creatorId, pairs, numbersPerDay }) {
			const accounts = accountStore(database.knex);
			const owner = (await accounts.findById(accountId))?.user_id ?? String(accountId);
			const user = (await accounts.findById(creatorId))?.user_id ?? String(creatorId);
			const details = { pairs, numbersPerDay };
			logger?.warn(
				{ account: owner, user, ...details },
				'too many different numbers with the same first six and last four were tried under duplicate elimination',
			);
			const entry = { actor: user, action: 'card.elimination-limit', subject: `account ${owner}` };
			await audit.record({ ...entry, details });
		},
	};
}
