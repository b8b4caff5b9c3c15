import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, type ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { CredentialHash, CredentialHasher } from '../../../base/keys/credential-hash.ts';
import type { RowSealer, RowSeals } from '../../../base/keys/rows/row-seals.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { AccountKind } from '../accounts/account-store.ts';
import { parseAddressRanges } from '../accounts/address-ranges.ts';
import {
	allPermissions,
	defaultPermissionsOf,
	formatPermissions,
	type Permission,
	readPermissions,
} from '../permissions.ts';
import { sealedApiKeys } from '../sealed-rows.ts';
import { type ApiKeyRow, apiKeyStore } from './api-key-store.ts';

export type ApiKey = ReturnType<typeof apiKeyOf>;

/** A key in the state `ending` still works until `endsAt`. */
type KeyState = 'active' | 'ending' | 'ended' | 'revoked';

/** Holds the limits of a key besides its permissions. */
export interface KeyLimits {
	readonly expiresAt?: Date;
	/** The allowed address ranges, as `parseAddressRanges` reads them. */
	readonly from?: string;
}

/** Holds a new key. Its text is known only at this moment. */
export interface NewApiKey {
	readonly apiKey: ApiKey;
	readonly secret: Secret;
}

/** Describes the account that owns an API key or SSH key. An `Account` can be passed for it. */
export interface KeyOwner {
	readonly id: AccountId;
	readonly userId: string;
	readonly kind: AccountKind;
}

export type ApiKeys = ReturnType<typeof openApiKeys>;

export interface RotateOptions {
	/** The id of the key; without it, the account must have only one. */
	readonly id?: number;
	readonly overlapMs?: number;
	/** The permissions that the caller may grant; all if absent. */
	readonly grantable?: ReadonlySet<Permission>;
}

export interface PermissionChange {
	readonly accountId: AccountId;
	/** The new permissions, as `formatPermissions` writes them. */
	readonly permissions: string;
	/** The permissions that may be added to a key; all if absent. A key keeps those that it has already. */
	readonly grantable?: ReadonlySet<Permission>;
	/** Selects one credential: an API key by its number, an SSH key by its fingerprint. */
	readonly only?: number | string;
}

const RANDOM_BYTES = 32;
const HINT_CHARACTERS = 4;

export function openApiKeys(options: {
	database: Database;
	audit: Audit;
	clock: Clock;
	hasher: CredentialHasher;
	environment: 'sandbox' | 'production';
	seals: RowSeals;
}) {
	const { database, audit, clock, hasher, environment, seals } = options;
	const now = () => clock.now().getTime();

	const draw = async (): Promise<{ text: string; hash: CredentialHash }> => {
		const text = `td_${environment}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
		return { text, hash: await hasher.hashNew(text) };
	};
	const insert = async (
		transaction: Knex.Transaction,
		sealer: RowSealer,
		owner: KeyOwner,
		drawn: Awaited<ReturnType<typeof draw>>,
		permissions: ReadonlySet<Permission>,
		{ expiresAt, from }: KeyLimits = {},
	): Promise<NewApiKey> => {
		const at = now();
		const row = await apiKeyStore(transaction).insert({
			account_id: owner.id,
			hash: drawn.hash.hash,
			key_id: drawn.hash.keyId,
			hint: drawn.text.slice(-HINT_CHARACTERS),
			permissions: formatPermissions(permissions),
			created_at: at,
			version: at,
			valid_until: expiresAt?.getTime() ?? null,
			from_ranges: from === undefined ? null : parseAddressRanges(from),
		});
		await apiKeyStore(transaction).update(row.id, sealer.seal(sealedApiKeys, row));
		return { apiKey: apiKeyOf(row, now()), secret: new Secret(drawn.text) };
	};
	const recordCreated = (owner: KeyOwner, actor: Actor, { apiKey }: NewApiKey, transaction: Knex.Transaction) => {
		const { expiresAt, from } = apiKey;
		const details = {
			id: apiKey.id,
			permissions: formatPermissions(apiKey.permissions),
			...(expiresAt && { expires: expiresAt.toISOString() }),
			...(from !== null && { from }),
		};
		return audit.record({ actor, action: 'api-key.create', subject: `account ${owner.userId}`, details }, transaction);
	};

	/**
	 * Changes columns of an API key's row, seals the row again, and makes its earlier versions invalid. A row that was
	 * tampered with is changed but not sealed, so that nothing it grants becomes valid.
	 */
	const replace = async (
		transaction: Knex.Transaction,
		sealer: RowSealer,
		id: number,
		changed: Pick<ApiKeyRow, 'ends_at'> | Pick<ApiKeyRow, 'revoked_at'> | Pick<ApiKeyRow, 'permissions'>,
	): Promise<void> => {
		const store = apiKeyStore(transaction);
		const row = await store.findForUpdate(id, database.dialect);
		if (!row) throw noSuchKey();
		const isGood = sealer.isIntact(sealedApiKeys, row);
		const { version, seal_key, seal } = await sealer.renew(transaction, sealedApiKeys, { ...row, ...changed });
		await store.update(id, { ...changed, version, ...(isGood && { seal_key, seal }) });
	};

	/** Prepares a key: call this before the caller's transaction, and `insert` of the result within it. */
	const prepare = async (permissions?: ReadonlySet<Permission>, limits?: KeyLimits) => {
		if (limits?.expiresAt && limits.expiresAt.getTime() <= now())
			throw badInput('expires', 'is not in the future', told('time-not-in-future'));
		const drawn = await draw();
		return {
			async insert(owner: KeyOwner, actor: Actor, transaction: Knex.Transaction, sealer: RowSealer) {
				const granted = permissions ?? defaultPermissionsOf(owner);
				const made = await insert(transaction, sealer, owner, drawn, granted, limits);
				await recordCreated(owner, actor, made, transaction);
				return made;
			},
		};
	};

	return {
		prepare,
		async create(owner: KeyOwner, actor: Actor, permissions?: ReadonlySet<Permission>, limits?: KeyLimits) {
			const prepared = await prepare(permissions, limits);
			return seals.transact(database, (transaction, sealer) => prepared.insert(owner, actor, transaction, sealer));
		},
		/**
		 * Changes the permissions of the API keys of an account, or of one of them, and returns how many were changed.
		 * Revoked keys are left out.
		 */
		async permit(
			transaction: Knex.Transaction,
			sealer: RowSealer,
			{ accountId, permissions, only, grantable = allPermissions }: PermissionChange,
		): Promise<number> {
			const store = apiKeyStore(transaction);
			const rows = await store.listForUpdate(accountId, database.dialect, only as number | undefined);
			for (const { id, permissions: held } of rows) {
				const added = [...readPermissions(permissions)].filter((name) => !readPermissions(held).has(name));
				const beyond = added.filter((name) => !grantable.has(name));
				if (beyond.length > 0) throw notGrantable(beyond, `${beyond.join(' and ')} was taken from the key meanwhile`);
				await replace(transaction, sealer, id, { permissions });
			}
			return rows.length;
		},
		/**
		 * Creates a new key with the same permissions, ranges and lifetime. The old key ends at once, or after the overlap.
		 * @throws ServiceError if the key has a permission that is not in `grantable`, because whoever may not grant it may not
		 * receive the secret of a key that has it
		 */
		async rotate(
			owner: KeyOwner,
			actor: Actor,
			{ id, overlapMs = 0, grantable = allPermissions }: RotateOptions = {},
		): Promise<NewApiKey> {
			const drawn = await draw();
			return seals.transact(database, async (transaction, sealer) => {
				const old = await chooseKey(transaction, owner, now(), id);
				const endsAt = now() + overlapMs;
				const row = await apiKeyStore(transaction).findForUpdate(old.id, database.dialect);
				// Of two rotations at once, only one succeeds. The new key gets the permissions of the old one, so a row
				// that was tampered with is refused.
				if (!row || row.ends_at !== null || row.revoked_at !== null) throw noSuchKey();
				if (!sealer.isIntact(sealedApiKeys, row)) throw noSuchKey();
				const beyond = [...old.permissions].filter((name) => !grantable.has(name));
				if (beyond.length > 0) {
					const names = beyond.join(' and ');
					throw notGrantable(
						beyond,
						`the key has ${names}, which you may not grant, so you may not receive its secret`,
					);
				}
				await replace(transaction, sealer, old.id, { ends_at: endsAt });
				const made = await insert(transaction, sealer, owner, drawn, old.permissions, limitsAfter(old, now()));
				const details = { old: old.id, new: made.apiKey.id, oldEnds: new Date(endsAt).toISOString() };
				const subject = `account ${owner.userId}`;
				await audit.record({ actor, action: 'api-key.rotate', subject, details }, transaction);
				return made;
			});
		},
		/** Ends a key at once, with every session and access token created from it. */
		async revoke(owner: KeyOwner, actor: Actor, id?: number): Promise<ApiKey> {
			return seals.transact(database, async (transaction, sealer) => {
				const { id: chosen } = await chooseKey(transaction, owner, now(), id, ['active', 'ending']);
				await replace(transaction, sealer, chosen, { revoked_at: now() });
				const entry = { actor, action: 'api-key.revoke', subject: `account ${owner.userId}`, details: { id: chosen } };
				await audit.record(entry, transaction);
				const rows = await apiKeyStore(transaction).listByAccount(owner.id);
				return apiKeyOf(rows.find((row) => row.id === chosen)!, now());
			});
		},
		/** Returns the keys of an account, oldest first, including those that no longer work. */
		async list(owner: Pick<KeyOwner, 'id'>): Promise<ApiKey[]> {
			const rows = await seals.list(sealedApiKeys, () => apiKeyStore(database.knex).listByAccount(owner.id));
			return rows.map((row) => apiKeyOf(row, now()));
		},
		/** Stores a working key under a newer hash, unless another process did so first. */
		async rehash(id: number, { hash, keyId }: CredentialHash): Promise<void> {
			await seals.transact(database, async (transaction, sealer) => {
				const row = await apiKeyStore(transaction).findForUpdate(id, database.dialect);
				if (!row || row.key_id === keyId || !sealer.isIntact(sealedApiKeys, row)) return;
				const seal = sealer.seal(sealedApiKeys, { ...row, hash, key_id: keyId });
				await apiKeyStore(transaction).update(id, { hash, key_id: keyId, ...seal });
			});
		},
	};
}

function notGrantable(beyond: readonly Permission[], problem: string): ServiceError {
	const exceeded = told('grant-exceeded', { permissions: beyond.join(', ') });
	return badInput('permissions', problem, exceeded);
}

async function chooseKey(
	transaction: Knex.Transaction,
	owner: KeyOwner,
	now: number,
	id: number | undefined,
	states: readonly KeyState[] = ['active'],
): Promise<ApiKey> {
	const rows = await apiKeyStore(transaction).listByAccount(owner.id);
	const usable = rows.map((row) => apiKeyOf(row, now)).filter((key) => states.includes(key.state));
	if (id !== undefined) {
		const found = usable.find((key) => key.id === id);
		if (!found) throw noSuchKey();
		return found;
	}
	// A key that is already ending is not chosen while another one is active.
	const active = usable.filter((key) => key.state === 'active');
	const candidates = active.length > 0 ? active : usable;
	if (candidates.length === 1) return candidates[0];
	if (candidates.length === 0) throw noSuchKey();
	const listed = candidates.map((key) => `${key.id} (…${key.hint})`).join(', ');
	throw badInput('id', `the account has several API keys: ${listed}`);
}

/** Returns the limits of a new key: the address ranges of the key that it replaces, and a lifetime of the same length. */
function limitsAfter({ createdAt, expiresAt, from }: ApiKey, now: number): KeyLimits {
	const lifetimeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
	return {
		...(lifetimeMs !== null && { expiresAt: new Date(now + lifetimeMs) }),
		...(from !== null && { from }),
	};
}

function noSuchKey(): ServiceError {
	return badInput('id', 'the account has no such API key in use', told('not-there'));
}

function apiKeyOf(row: ApiKeyRow, now: number) {
	const dateOf = (at: number | null) => (at === null ? null : new Date(at));
	return {
		id: row.id,
		accountId: row.account_id,
		/** The last four characters of the key, by which people tell keys apart. */
		hint: row.hint,
		permissions: readPermissions(row.permissions),
		createdAt: new Date(row.created_at),
		state: stateOf(row, now),
		endsAt: dateOf(row.ends_at),
		revokedAt: dateOf(row.revoked_at),
		/** The time when the key ends, if it was set at its creation. */
		expiresAt: dateOf(row.valid_until),
		/** The allowed address ranges, separated by commas; null means any address. */
		from: row.from_ranges,
		/** The time of the last use, exact to five minutes. */
		lastUsedAt: dateOf(row.last_used_at),
	};
}

function stateOf({ revoked_at, ends_at, valid_until }: ApiKeyRow, now: number): KeyState {
	if (revoked_at !== null) return 'revoked';
	if (Math.min(ends_at ?? now + 1, valid_until ?? now + 1) <= now) return 'ended';
	return ends_at === null ? 'active' : 'ending';
}
