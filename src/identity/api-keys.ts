import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { ServiceError } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { AccountKind } from './account-store.ts';
import { parseAddressRanges } from './address-ranges.ts';
import { type ApiKeyRow, apiKeyStore } from './api-key-store.ts';
import type { CredentialHash, CredentialHasher } from './credential-hash.ts';
import { defaultPermissionsOf, formatPermissions, type Permission, readPermissions } from './permissions.ts';

export interface ApiKey {
	readonly id: number;
	readonly accountId: AccountId;
	/** The last four characters, for people to tell keys apart. */
	readonly hint: string;
	readonly permissions: ReadonlySet<Permission>;
	readonly createdAt: Date;
	/** `ending` still works, until `endsAt`. */
	readonly state: 'active' | 'ending' | 'ended' | 'revoked';
	readonly endsAt: Date | null;
	readonly revokedAt: Date | null;
	/** The end it was made with. */
	readonly expiresAt: Date | null;
	/** Ranges with commas; null: from anywhere. */
	readonly from: string | null;
	/** Five minutes exact. */
	readonly lastUsedAt: Date | null;
}

/** What limits a key besides its permissions. */
export interface KeyLimits {
	readonly expiresAt?: Date;
	/** As `parseAddressRanges` reads them. */
	readonly from?: string;
}

/** The only moment at which the text of a key is known. */
export interface NewApiKey {
	readonly apiKey: ApiKey;
	readonly secret: Secret;
}

/** Whose key: what an account or a principal has. */
export interface KeyOwner {
	readonly id: AccountId;
	readonly userId: string;
	readonly kind: AccountKind;
}

export interface ApiKeys {
	create(owner: KeyOwner, actor: string, permissions?: ReadonlySet<Permission>, limits?: KeyLimits): Promise<NewApiKey>;
	/** A key whose row goes in with somebody else's transaction; call before it begins, then `insert` within. */
	prepare(permissions?: ReadonlySet<Permission>, limits?: KeyLimits): Promise<PreparedApiKey>;
	/** Makes a successor with the same permissions, ranges and time to live. The old key ends at once, or after the overlap. */
	rotate(owner: KeyOwner, actor: string, options?: { id?: number; overlapMs?: number }): Promise<NewApiKey>;
	/** Ends a key at once, and every session and access token made from it. */
	revoke(owner: KeyOwner, actor: string, id?: number): Promise<ApiKey>;
	/** Oldest first, with those that no longer work. */
	list(owner: Pick<KeyOwner, 'id'>): Promise<ApiKey[]>;
}

export interface PreparedApiKey {
	insert(owner: KeyOwner, actor: string, transaction: Knex.Transaction): Promise<NewApiKey>;
}

const RANDOM_BYTES = 32;
const HINT_CHARACTERS = 4;

export function openApiKeys(options: {
	database: Database;
	audit: Audit;
	clock: Clock;
	hasher: CredentialHasher;
	environment: 'sandbox' | 'production';
}): ApiKeys {
	const { database, audit, clock, hasher, environment } = options;
	const now = () => clock.now().getTime();

	const draw = async (): Promise<{ text: string; hash: CredentialHash }> => {
		const text = `td_${environment}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
		return { text, hash: await hasher.hashNew(text) };
	};
	const insert = async (
		transaction: Knex.Transaction,
		owner: KeyOwner,
		drawn: Awaited<ReturnType<typeof draw>>,
		permissions: ReadonlySet<Permission>,
		{ expiresAt, from }: KeyLimits = {},
	): Promise<NewApiKey> => {
		const row = await apiKeyStore(transaction).insert({
			account_id: owner.id,
			hash: drawn.hash.hash,
			key_id: drawn.hash.keyId,
			hint: drawn.text.slice(-HINT_CHARACTERS),
			permissions: formatPermissions(permissions),
			created_at: now(),
			valid_until: expiresAt?.getTime() ?? null,
			from_ranges: from === undefined ? null : parseAddressRanges(from),
		});
		return { apiKey: apiKeyOf(row, now()), secret: new Secret(drawn.text) };
	};
	const recordCreated = (owner: KeyOwner, actor: string, { apiKey }: NewApiKey, transaction: Knex.Transaction) => {
		const { expiresAt, from } = apiKey;
		const details = {
			...{ id: apiKey.id, permissions: formatPermissions(apiKey.permissions) },
			...(expiresAt && { expires: expiresAt.toISOString() }),
			...(from !== null && { from }),
		};
		return audit.record({ actor, action: 'api-key.create', subject: `account ${owner.userId}`, details }, transaction);
	};

	const apiKeys: ApiKeys = {
		async create(owner, actor, permissions, limits) {
			const prepared = await apiKeys.prepare(permissions, limits);
			return transact(database, (transaction) => prepared.insert(owner, actor, transaction));
		},
		async prepare(permissions, limits) {
			if (limits?.expiresAt && limits.expiresAt.getTime() <= now()) throw notInFuture();
			const drawn = await draw();
			return {
				async insert(owner, actor, transaction) {
					const made = await insert(transaction, owner, drawn, permissions ?? defaultPermissionsOf(owner), limits);
					await recordCreated(owner, actor, made, transaction);
					return made;
				},
			};
		},
		async rotate(owner, actor, { id, overlapMs = 0 } = {}) {
			const drawn = await draw();
			return transact(database, async (transaction) => {
				const old = await chooseKey(transaction, owner, now(), id);
				const endsAt = now() + overlapMs;
				if (!(await apiKeyStore(transaction).end(old.id, endsAt))) throw noSuchKey();
				const made = await insert(transaction, owner, drawn, old.permissions, limitsAfter(old, now()));
				const details = { old: old.id, new: made.apiKey.id, oldEnds: new Date(endsAt).toISOString() };
				const subject = `account ${owner.userId}`;
				await audit.record({ actor, action: 'api-key.rotate', subject, details }, transaction);
				return made;
			});
		},
		async revoke(owner, actor, id) {
			return transact(database, async (transaction) => {
				const { id: chosen } = await chooseKey(transaction, owner, now(), id, ['active', 'ending']);
				await apiKeyStore(transaction).revoke(chosen, now());
				const entry = { actor, action: 'api-key.revoke', subject: `account ${owner.userId}`, details: { id: chosen } };
				await audit.record(entry, transaction);
				const rows = await apiKeyStore(transaction).listByAccount(owner.id);
				return apiKeyOf(rows.find((row) => row.id === chosen)!, now());
			});
		},
		async list(owner) {
			return (await apiKeyStore(database.knex).listByAccount(owner.id)).map((row) => apiKeyOf(row, now()));
		},
	};
	return apiKeys;
}

/** The key that is named, or the only one there is to mean. */
async function chooseKey(
	transaction: Knex.Transaction,
	owner: KeyOwner,
	now: number,
	id: number | undefined,
	states: readonly ApiKey['state'][] = ['active'],
): Promise<ApiKey> {
	const rows = await apiKeyStore(transaction).listByAccount(owner.id);
	const usable = rows.map((row) => apiKeyOf(row, now)).filter((key) => states.includes(key.state));
	if (id !== undefined) {
		const found = usable.find((key) => key.id === id);
		if (!found) throw noSuchKey();
		return found;
	}
	// One that is already ending is not meant while another one stays.
	const active = usable.filter((key) => key.state === 'active');
	const candidates = active.length > 0 ? active : usable;
	if (candidates.length === 1) return candidates[0];
	if (candidates.length === 0) throw noSuchKey();
	const listed = candidates.map((key) => `${key.id} (…${key.hint})`).join(', ');
	throw new ServiceError('bad-input-data', { moreInfo: `id: the account has several API keys: ${listed}` });
}

/** A successor lives as long as the key it follows was made to. */
function limitsAfter({ createdAt, expiresAt, from }: ApiKey, now: number): KeyLimits {
	const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
	return {
		...(lifetimeMs !== null && { expiresAt: new Date(now + lifetimeMs) }),
		...(from !== null && { from }),
	};
}

function notInFuture(): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: 'expires: is not in the future' });
}

function noSuchKey(): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: 'id: the account has no such API key in use' });
}

function apiKeyOf(row: ApiKeyRow, now: number): ApiKey {
	const dateOf = (at: number | null) => (at === null ? null : new Date(at));
	return {
		id: row.id,
		accountId: row.account_id,
		hint: row.hint,
		permissions: readPermissions(row.permissions),
		createdAt: new Date(row.created_at),
		state: stateOf(row, now),
		endsAt: dateOf(row.ends_at),
		revokedAt: dateOf(row.revoked_at),
		expiresAt: dateOf(row.valid_until),
		from: row.from_ranges,
		lastUsedAt: dateOf(row.last_used_at),
	};
}

function stateOf({ revoked_at, ends_at, valid_until }: ApiKeyRow, now: number): ApiKey['state'] {
	if (revoked_at !== null) return 'revoked';
	if (Math.min(ends_at ?? now + 1, valid_until ?? now + 1) <= now) return 'ended';
	return ends_at === null ? 'active' : 'ending';
}
