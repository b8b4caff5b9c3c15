// Checks every kind of credential. Every invalid credential is refused with null after the same hashing and the same
// query, so that neither the answer nor its time shows what was wrong (spec §5.4).

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { shared } from '../../../base/database/gather.ts';
import type { Database } from '../../../base/database/open.ts';
import type { CredentialHash, CredentialHasher } from '../../../base/keys/credential-hash.ts';
import { fingerprintOf } from '../../../base/ssh/fingerprint.ts';
import { isFrom } from '../accounts/address-ranges.ts';
import { guardedRows } from '../accounts/guarded-columns.ts';
import { readPermissions } from '../permissions.ts';
import type { LoginMethod, Principal } from '../principal.ts';
import { ACCESS_TOKEN_MAX_LIFETIME_MS, ACCESS_TOKEN_SHAPE, decryptAccessToken } from './access-token.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Certificates } from './certificates.ts';
import { checkedLogins, textOf } from './checked-logins.ts';
import { type CredentialGuard, versionsOf } from './credential-guard.ts';
import { type ApiKeyCredentialRow, accessTokenStore, type CredentialRow, credentialStore } from './credential-store.ts';
import { SESSION_TOKEN_SHAPE } from './session-tokens.ts';

export interface Credential {
	readonly kind: 'api-key' | 'session-token' | 'access-token';
	/** The text of the credential as it was sent. */
	readonly secret: string;
}

type Find<Row> = (hashes: readonly string[]) => Promise<Row | undefined>;

/** Secrets longer than this are cut off before hashing, so that nobody can make us hash megabytes. */
const MAX_SECRET_CHARACTERS = 1_024;
/** Replaces the content of an unreadable access token, so that its refusal takes as long as that of a readable one. */
const NOBODY = { apiKey: '', guid: '0'.repeat(32), expiresAt: 0 };

export function openAuthentication(options: {
	database: Database;
	clock: Clock;
	hasher: CredentialHasher;
	certificates: Certificates;
	guard: CredentialGuard;
	apiKeys: Pick<ApiKeys, 'rehash'>;
}) {
	const { database, clock, hasher, certificates, guard, apiKeys } = options;
	const store = credentialStore(database.knex);
	const now = () => clock.now().getTime();

	const checked = checkedLogins();
	/**
	 * Tells whether the row of a key is valid. `hashes` are the hashes by which the row was searched, or undefined if it
	 * was found in another way.
	 */
	const isGoodKey = async (row: ApiKeyCredentialRow, hashes: readonly string[] | undefined): Promise<boolean> => {
		const known = checked.find(row, hashes);
		if (known && guard.isCurrent(known)) return true;
		return guard.check(async (isGood) => {
			const full = await store.findGuarded(row.api_key_id, row.session_hash);
			if (!full || textOf(full) !== textOf(row)) return false;
			const rows = guardedRows('api-key', full);
			const found = [rows.session?.hash ?? rows.credential.hash];
			if (hashes && !hashes.includes(found[0])) return false;
			if (!isGood('api-key', rows)) return false;
			checked.add(full, found, versionsOf('api-key', rows));
			return true;
		});
	};

	const findInUse = <Row extends ApiKeyCredentialRow>(text: string, find: Find<Row>) =>
		hasher.find(text, async (all) => {
			const preparing = guard.prepare();
			if (preparing) await preparing;
			const hashes = all.map(({ hash }) => hash);
			const row = await find(hashes);
			if (!row || !isInUse(row, now())) return undefined;
			return (await isGoodKey(row, hashes)) ? { row, newest: all[0] } : undefined;
		});
	const findApiKey = shared((text: string) => findInUse(text, store.findApiKey));
	const findSessionToken = shared((text: string) => findInUse(text, store.findSessionToken));

	const noteUse = openLastUse(apiKeyStore(database.knex), now);

	/** Stores a valid API key under the newest generation of the hash key, so that older generations fall out of use. */
	const rehash = async (row: ApiKeyCredentialRow, newest: CredentialHash) => {
		if (row.key_id === newest.keyId) return;
		await apiKeys.rehash(row.api_key_id, newest);
	};

	const byApiKey = async (secret: string, address?: string): Promise<Principal | null> => {
		const found = await findApiKey(secret);
		if (!found || !isFrom(found.row.from_ranges, address)) return null;
		await rehash(found.row, found.newest);
		await noteUse(found.row);
		return principalOf(found.row, 'api-key', { apiKeyId: found.row.api_key_id, address });
	};

	/**
	 * Checks a session token. The address is not checked: the token was created by a call from an allowed address, and
	 * is meant for a browser with another one.
	 */
	const bySessionToken = async (secret: string, address?: string): Promise<Principal | null> => {
		const found = await findSessionToken(secret);
		if (!found) return null;
		await noteUse(found.row);
		const { api_key_id: apiKeyId, expires_at: endsAtMs } = found.row;
		return principalOf(found.row, 'session-token', { apiKeyId, endsAtMs, address });
	};

	/** Checks an access token. Anybody who has the API key can create one, so it is limited to the key's addresses. */
	const byAccessToken = async (secret: string, address?: string): Promise<Principal | null> => {
		const privateKeys = await certificates.privateKeys();
		const { apiKey, guid, expiresAt } = decryptAccessToken(secret, privateKeys) ?? NOBODY;
		const found = await findApiKey(apiKey);
		const spent = accessTokenStore(database.knex);
		const isSpent = await spent.isSpent(found?.row.api_key_id ?? 0, guid);
		const isInTime = expiresAt > now() && expiresAt <= now() + ACCESS_TOKEN_MAX_LIFETIME_MS;
		if (!found || isSpent || !isInTime || !isFrom(found.row.from_ranges, address)) return null;
		if (!(await spent.spend(found.row.api_key_id, guid, expiresAt))) return null;
		await noteUse(found.row);
		return principalOf(found.row, 'access-token', { apiKeyId: found.row.api_key_id, endsAtMs: expiresAt, address });
	};

	const authentication = {
		/**
		 * Checks a credential. Returns null for every refusal, and throws only if the database or key store is unreachable. A
		 * successful check uses up an access token.
		 */
		async authenticate({ kind, secret }: Credential, address?: string): Promise<Principal | null> {
			const text = secret.slice(0, MAX_SECRET_CHARACTERS);
			if (kind === 'session-token') return bySessionToken(text, address);
			// A text that does not have the form of an access token is looked up as an API key, so that its refusal
			// takes as long as that of a wrong API key.
			if (kind === 'access-token')
				return ACCESS_TOKEN_SHAPE.test(secret) ? byAccessToken(secret, address) : refuseAsKey(text);
			return byApiKey(text, address);
		},
		/**
		 * Returns the caller for whom a valid API key stands, or null if the key is not valid. Sessions and links that were
		 * created with the key use this, after other code has checked them.
		 */
		async byApiKeyId(id: number): Promise<Principal | null> {
			await guard.prepare();
			const row = await store.findApiKeyById(id);
			if (!row || !isInUse(row, now()) || !(await isGoodKey(row, undefined))) return null;
			return principalOf(row, 'session-token', { apiKeyId: row.api_key_id });
		},
		/**
		 * Finds the API key of a refused credential, even if it is revoked or expired, for the audit trail only. It does not
		 * cover access tokens, because a second decryption would cost more than the failed login did.
		 */
		async findApiKeyOf(secret: string) {
			if (secret.length > MAX_SECRET_CHARACTERS || ACCESS_TOKEN_SHAPE.test(secret)) return undefined;
			const hashes = (await hasher.hashAll(secret)).map(({ hash }) => hash);
			const isSession = SESSION_TOKEN_SHAPE.test(secret);
			const row = await (isSession ? store.findSessionToken(hashes) : store.findApiKey(hashes));
			return row && { apiKeyId: row.api_key_id, userId: row.user_id };
		},
		/** The shape of a password decides its kind of credential, which must belong to the named user. */
		async byPassword(login: { userName: string; password: string; address?: string }): Promise<Principal | null> {
			const { userName, password, address } = login;
			const principal = await authentication.authenticate({ kind: kindOf(password), secret: password }, address);
			return principal?.userId === userName ? principal : null;
		},
		/** Checks a public key in the SSH wire form. The SSH server has checked that the caller holds the private key. */
		async byPublicKey(login: { userName: string; key: Buffer; address?: string }): Promise<Principal | null> {
			const { userName, key, address } = login;
			const row = await guard.check(async (isGood) => {
				const found = await store.findSshKey(userName, fingerprintOf(key));
				return found && isGood('ssh-key', guardedRows('ssh-key', found)) ? found : undefined;
			});
			const stored = row?.blob ?? key;
			const isSame = stored.length === key.length && timingSafeEqual(stored, key);
			const isLetIn = row && isSame && isEnabled(row) && isFrom(row.from_ranges, address);
			return isLetIn ? principalOf(row, 'ssh-key', { sshKeyId: row.ssh_key_id, address }) : null;
		},
	};
	const refuseAsKey = async (text: string): Promise<null> => {
		await findApiKey(text);
		return null;
	};
	return authentication;
}

function kindOf(password: string): Credential['kind'] {
	if (SESSION_TOKEN_SHAPE.test(password)) return 'session-token';
	return ACCESS_TOKEN_SHAPE.test(password) ? 'access-token' : 'api-key';
}

/** Tells whether a credential is still in use. A session token expires by itself, and also ends with its API key. */
function isInUse(row: ApiKeyCredentialRow & { expires_at?: number }, now: number): boolean {
	const ends = [row.ends_at, row.valid_until, row.expires_at];
	return isEnabled(row) && row.revoked_at === null && ends.every((end) => (end ?? now + 1) > now);
}

function isEnabled(row: CredentialRow): boolean {
	return row.disabled_at === null && row.owner_disabled_at === null;
}

function principalOf(
	row: CredentialRow,
	method: LoginMethod,
	credential: Pick<Principal, 'apiKeyId' | 'sshKeyId' | 'endsAtMs' | 'address'>,
): Principal {
	const isBlocked = row.blocked_at !== null || row.owner_blocked_at !== null;
	return {
		accountId: row.account_id,
		userId: row.user_id,
		kind: row.kind,
		ownerId: row.parent_id ?? row.account_id,
		...credential,
		permissions: readPermissions(row.permissions),
		isUnmetered: (row.parent_id === null ? row.allowance_limit : row.owner_allowance_limit) === null && !isBlocked,
		isBlocked,
		cvvRetention: Boolean(row.cvv_retention) || Boolean(row.owner_cvv_retention),
		method,
	};
}

/** The last use of a key is written at most so often, because a write for every call would double its cost. */
export const LAST_USE_EVERY_MS = 5 * 60_000;
const MAX_NOTED = 10_000;

/**
 * Returns a function that notes that a key was used, at most every five minutes for each key and daemon. It never
 * fails, because a login must not depend on it.
 */
function openLastUse(store: Pick<ReturnType<typeof apiKeyStore>, 'noteUse'>, now: () => number) {
	const noted = new Map<number, number>();
	return async (row: { readonly api_key_id: number; readonly last_used_at: number | null }): Promise<void> => {
		const nowMs = now();
		const last = Math.max(row.last_used_at ?? 0, noted.get(row.api_key_id) ?? 0);
		if (nowMs - last < LAST_USE_EVERY_MS) return;
		if (noted.size === MAX_NOTED) noted.clear();
		noted.set(row.api_key_id, nowMs);
		await store.noteUse(row.api_key_id, nowMs).catch(() => {});
	};
}
