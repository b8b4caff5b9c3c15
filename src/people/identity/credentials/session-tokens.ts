import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { CredentialHasher } from '../../../base/keys/credential-hash.ts';
import type { RowSeals } from '../../../base/keys/rows/row-seals.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Principal } from '../principal.ts';
import { sealedSessionTokens } from '../sealed-rows.ts';
import { sessionTokenStore } from './credential-store.ts';

/** A session token lives this long, as spec §2.2 prescribes. */
const SESSION_TOKEN_LIFETIME_MS = 5 * 60_000;
/** Matches a session token, which can be used in a query parameter without encoding. */
export const SESSION_TOKEN_SHAPE = /^ts_[A-Za-z0-9_-]{43}$/;

const RANDOM_BYTES = 32;

export function openSessionTokens(options: {
	database: Database;
	clock: Clock;
	hasher: CredentialHasher;
	seals: RowSeals;
}) {
	const { database, clock, hasher, seals } = options;
	const store = sessionTokenStore(database.knex);
	return {
		/** Creates a token for a caller with an API key, whose permissions it has and with which it ends. */
		async create({ accountId, apiKeyId }: Pick<Principal, 'accountId' | 'apiKeyId'>) {
			if (apiKeyId === undefined) throw new Error('internal error: a session token needs the API key it stands for');
			const text = `ts_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
			const expires = clock.now().getTime() + SESSION_TOKEN_LIFETIME_MS;
			const { hash } = await hasher.hashNew(text);
			const row = { hash, account_id: accountId, api_key_id: apiKeyId, expires_at: expires };
			await store.insert({ ...row, ...(await seals.sealer()).seal(sealedSessionTokens, row) });
			return { secret: new Secret(text), expiresAt: new Date(expires) };
		},
		purge: () => store.deleteExpired(clock.now().getTime()),
	};
}
