import type { webcrypto } from 'node:crypto';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isUniqueViolation } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import { credentialHasher } from '../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { RowSeals } from '../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { openAccountChanges } from './accounts/account-changes.ts';
import { accountStore } from './accounts/account-store.ts';
import { type Account, type Accounts, type NewAccount, openAccounts } from './accounts/accounts.ts';
import { openAllowance } from './accounts/allowance.ts';
import { findAssociationTarget, resolveAssociationTarget } from './accounts/association-target.ts';
import { openOrigins } from './accounts/origins.ts';
import { openStandings } from './accounts/standing.ts';
import { type ApiKeys, type NewApiKey, openApiKeys } from './credentials/api-keys.ts';
import { openAuthentication } from './credentials/authenticate.ts';
import { openCertificates } from './credentials/certificates.ts';
import { openCredentialGuard } from './credentials/credential-guard.ts';
import { accessTokenStore } from './credentials/credential-store.ts';
import { openSessionTokens } from './credentials/session-tokens.ts';
import { openSshKeys } from './credentials/ssh-keys.ts';
import { makers } from './makers.ts';
import { allPermissions, type Permission } from './permissions.ts';
import type { Principal } from './principal.ts';

export type Identity = ReturnType<typeof openIdentity>;

export type AccountWithKey = { readonly account: Account } & NewApiKey;

/**
 * Notes of used access tokens are kept this long after the tokens end, so that a daemon with a slow clock does not
 * accept a token whose use was already forgotten.
 */
const SPENT_KEPT_FOR_MS = 60 * 60_000;

export function openIdentity(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Audit;
	readonly environment: 'sandbox' | 'production';
	/** The allowance of a new primary account if none is given for it (spec §8); null or absent means no limit. */
	readonly allowanceUnits?: number | null;
	readonly clock?: Clock;
	readonly certificateKeys?: () => Promise<webcrypto.CryptoKeyPair>;
	/** Called when the certificate for callers, which ends at `endsAt`, could not be renewed. It still works until then. */
	readonly onRenewalFailed?: (error: unknown, endsAt: Date) => void;
}) {
	const { database, keyRing, clock = systemClock } = options;
	const hasher = credentialHasher(keyRing);
	const { seals } = keyRing;
	const guard = openCredentialGuard(seals);
	const shared = { ...options, clock, hasher, seals, guard };
	const accounts = openAccounts(shared);
	const apiKeys = openApiKeys(shared);
	const sshKeys = openSshKeys(shared);
	const sessionTokens = openSessionTokens(shared);
	const certificates = openCertificates(shared);
	const authentication = openAuthentication({ ...shared, certificates, apiKeys });

	const { authenticate, byApiKeyId, findApiKeyOf } = authentication;
	return {
		...{ accounts, apiKeys, sessionTokens, certificates, sshKeys, authenticate, byApiKeyId, findApiKeyOf },
		changes: openAccountChanges({ ...shared, accounts, apiKeys, sshKeys }),
		/** The origins whose pages may show our pages and make calls for an account. */
		origins: openOrigins({ ...shared, accounts }),
		allowance: openAllowance(shared),
		/**
		 * Finds the caller who created a card request or a form, because both stay in use after the session of that caller.
		 * Returns null if the caller may no longer act.
		 */
		findMaker: makers({ accounts, byApiKeyId }),
		/** Checks that the credentials of open sessions and calls are still valid. */
		standings: openStandings(shared),
		sftpLogin: authentication,
		async createAccount(account: NewAccount, actor: Actor, permissions?: ReadonlySet<Permission>) {
			const prepared = await apiKeys.prepare(permissions);
			return seals.transact(database, async (transaction, sealer) => {
				const created = await accounts.create(account, actor, { transaction, sealer });
				return { account: created, ...(await prepared.insert(created, actor, transaction, sealer)) };
			});
		},
		ensureDemoAccount: () => ensureDemoAccount({ database, accounts, apiKeys, seals }),
		/** Finds the account to which a caller gives a card; a caller who may not give cards away is refused. */
		resolveAssociationTarget: (principal: Pick<Principal, 'ownerId' | 'permissions'>, merchantId: string) =>
			resolveAssociationTarget(accounts, principal, merchantId),
		/** Finds the account that a merchant id names, for calls that give nothing away. */
		findAssociationTarget: (principal: Pick<Principal, 'ownerId'>, merchantId: string) =>
			findAssociationTarget(accounts, principal, merchantId),
		/** Removes expired session tokens and notes of used access tokens, and returns how many. */
		async purgeExpired(): Promise<number> {
			const spentBefore = clock.now().getTime() - SPENT_KEPT_FOR_MS;
			return (await sessionTokens.purge()) + (await accessTokenStore(database.knex).deleteExpired(spentBefore));
		},
	};
}

const USER_ID = 'demo';

/**
 * Creates the account of a first start in sandbox (shapes §9.7), with every permission and CVV retention. Returns
 * undefined if there are accounts already; if two daemons start at once, only one of them creates it.
 */
async function ensureDemoAccount(options: {
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
