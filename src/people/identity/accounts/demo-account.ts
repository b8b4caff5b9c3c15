import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { RowSeals } from '../../../base/keys/rows/row-seals.ts';
import type { ApiKeys, NewApiKey } from '../credentials/api-keys.ts';
import { allPermissions } from '../permissions.ts';
import { accountStore } from './account-store.ts';
import type { Account, Accounts } from './accounts.ts';

const USER_ID = 'demo';

/**
 * Creates the account of a first start in sandbox (shapes §9.7), with every permission and CVV retention. Returns
 * undefined if there are accounts already; if two daemons start at once, only one of them creates it.
 */
export async function ensureDemoAccount(options: {
	database: Database;
	accounts: Accounts;
	apiKeys: ApiKeys;
	seals: RowSeals;
}): Promise<({ account: Account } & NewApiKey) | undefined> {
	const { database, accounts, apiKeys, seals } = options;
	if (await accountStore(database.knex).hasAny()) return undefined;
	const prepared = await apiKeys.prepare(allPermissions);
	try {
		return await seals.transact(database, async (transaction, sealer) => {
			if (await accountStore(transaction).hasAny()) return undefined;
			const account = await accounts.create({ userId: USER_ID, cvvRetention: true }, 'daemon', {
				transaction,
				sealer,
			});
			return { account, ...(await prepared.insert(account, 'daemon', transaction, sealer)) };
		});
	} catch (error) {
		// On PostgreSQL two daemons may both find no account before either writes one. The slower one then fails to insert
		// its row, which means that the account exists.
		if (error instanceof ServiceError && isUniqueViolation(error.cause)) return undefined;
		throw error;
	}
}
