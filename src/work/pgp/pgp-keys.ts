// Manages the OpenPGP keys of accounts: own ones, whose secret parts are sealed, and the public ones of partners. They
// belong to the primary account, so callers give the id of the owner.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { badInput } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { seal, unseal } from '../../base/keys/seal.ts';
import type { KeyFacts, KeyParts } from '../../base/openpgp/keys.ts';
import { endedKey, missingKey, refusedKey } from '../../base/openpgp/refusals.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { Owner } from '../../people/identity/principal.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { type PgpKeyRow, pgpKeyStore, sealedPgpKeys, secretLabel } from './pgp-key-store.ts';

/** Describes a key as it may be shown, without its secret part. */
export type StoredPgpKey = Awaited<ReturnType<typeof shown>>;

const MAX_KEYS = 500;

type SealParts = { readonly database: Database; readonly keyRing: KeyRing };

export type PgpKeys = ReturnType<typeof openPgpKeys>;

/** Gives access to the stored keys; the database must be migrated. */
export function openPgpKeys(options: SealParts & { readonly audit: Pick<Audit, 'record'>; readonly clock: Clock }) {
	const { database, keyRing, audit, clock } = options;
	const store = async (
		{ accountId, userId }: Owner,
		row: Omit<PgpKeyRow, 'account_id' | 'updated_at' | 'seal' | 'seal_key'>,
		{ actor, action }: { readonly actor: Actor; readonly action: 'put' | 'revoke' },
	): Promise<StoredPgpKey> => {
		const { name, kind, fingerprint } = row;
		const stored = await keyRing.seals.transact(database, async (transaction, sealer) => {
			const within = pgpKeyStore(transaction);
			const others = (await within.list(accountId)).filter((each) => each.name !== name);
			if (others.length >= MAX_KEYS) throw refusedKey(`an account has at most ${MAX_KEYS} OpenPGP keys`);
			const plain = { ...row, account_id: accountId, updated_at: clock.now().getTime() };
			const renewed = await sealer.renew(transaction, sealedPgpKeys, plain);
			await within.put(renewed);
			const entry = { actor, action: `pgp-key.${action}`, subject: `account ${userId}` };
			await audit.record({ ...entry, details: { name, kind, fingerprint } }, transaction);
			return renewed;
		});
		return shown(stored);
	};
	return {
		/** @throws ServiceError if another key has the name, and is neither expired nor revoked */
		async put(owner: Owner, name: string, { publicKey, secretKey, facts }: KeyParts, actor: Actor) {
			const { accountId } = owner;
			const before = await findRow(options, accountId, name);
			if (before) await requireReplaceable(before, facts.fingerprint, secretKey !== undefined);
			const key = secretKey === undefined ? undefined : await keyRing.current('secret');
			const row = {
				name,
				kind: secretKey === undefined ? ('partner' as const) : ('own' as const),
				fingerprint: facts.fingerprint,
				public_key: publicKey,
				revoked_at: null,
				key_id: key?.id ?? null,
				sealed: key ? seal(key.secret, Buffer.from(secretKey!), secretLabel(accountId, name)) : null,
				created_at: clock.now().getTime(),
			};
			return store(owner, row, { actor, action: 'put' });
		},
		async list(accountId: AccountId): Promise<readonly StoredPgpKey[]> {
			const rows = await keyRing.seals.list(sealedPgpKeys, () => pgpKeyStore(database.knex).list(accountId));
			return Promise.all(rows.map(shown));
		},
		/** @throws ServiceError if there is none with this name */
		async get(accountId: AccountId, name: string): Promise<StoredPgpKey> {
			return shown(await getRow(options, accountId, name));
		},
		/**
		 * Ends the use of a key. The secret part of an own key is removed; its public part then says that it is revoked.
		 * @throws ServiceError if there is none with this name
		 */
		async revoke(owner: Owner, name: string, actor: Actor): Promise<StoredPgpKey> {
			const row = await getRow(options, owner.accountId, name);
			if (row.revoked_at !== null) return shown(row);
			const { revokedKey } = await import('../../base/openpgp/keys.ts');
			const secret = row.sealed === null ? undefined : await openSecret(options, row);
			const public_key = secret === undefined ? row.public_key : await revokedKey(secret.reveal());
			const ended = { public_key, revoked_at: clock.now().getTime(), key_id: null, sealed: null };
			const { kind, fingerprint, created_at } = row;
			return store(owner, { name, kind, fingerprint, created_at, ...ended }, { actor, action: 'revoke' });
		},
	};
}

/** Finds a key that is neither expired nor revoked, as somebody who gets messages. @throws ServiceError */
export async function getPublicKey(parts: SealParts, accountId: AccountId, name: string): Promise<string> {
	return (await getUsable(parts, accountId, name)).public_key;
}

/** Opens the secret part of an own key. @throws ServiceError if the account has no such key, or it is revoked */
export async function getSecretKey(parts: SealParts, accountId: AccountId, name: string): Promise<Secret> {
	const row = await getUsable(parts, accountId, name);
	if (row.sealed !== null) return openSecret(parts, row);
	throw refusedKey(`the key ${name} is the public key of a partner: name an own key, which pgp-key create makes`);
}

/** Lists the names of the keys of an account that are not revoked. */
export async function listNames(
	{ database, keyRing }: SealParts,
	accountId: AccountId,
	kind: PgpKeyRow['kind'],
): Promise<string[]> {
	const rows = await keyRing.seals.list(sealedPgpKeys, () => pgpKeyStore(database.knex).list(accountId));
	return rows.filter((row) => row.kind === kind && row.revoked_at === null).map(({ name }) => name);
}

/** Lists the keys of all accounts that are not revoked and end at some time. What cannot be read is left out. */
export async function listEnding({ knex }: Pick<Database, 'knex'>) {
	const ending = [];
	for (const row of await pgpKeyStore(knex).listUsed()) {
		const { expiresAt } = await factsOf(row).catch(() => ({ expiresAt: null }));
		if (expiresAt) ending.push({ accountId: row.account_id, name: row.name, endsAtMs: expiresAt.getTime() });
	}
	return ending;
}

async function findRow({ database, keyRing }: SealParts, accountId: AccountId, name: string) {
	return keyRing.seals.find(sealedPgpKeys, () => pgpKeyStore(database.knex).find(accountId, name));
}

async function getRow(parts: SealParts, accountId: AccountId, name: string): Promise<PgpKeyRow> {
	const row = await findRow(parts, accountId, name);
	if (row) return row;
	const { reason: problem, told } = missingKey(name);
	throw badInput('key', problem, told);
}

async function getUsable(parts: SealParts, accountId: AccountId, name: string): Promise<PgpKeyRow> {
	const row = await getRow(parts, accountId, name);
	if (row.revoked_at !== null) throw refusedKey(endedKey(name, 'revoked'));
	return row;
}

async function openSecret({ keyRing }: SealParts, { key_id, sealed, account_id, name }: PgpKeyRow): Promise<Secret> {
	const { secret } = await keyRing.byId(key_id!);
	const plain = unseal(secret, sealed!, secretLabel(account_id, name));
	const text = plain.toString();
	plain.fill(0);
	return new Secret(text);
}

/** A key in use keeps its name, so that nobody reads or signs in its place by mistake. It may itself be imported anew. */
async function requireReplaceable(before: PgpKeyRow, fingerprint: string, isOwn: boolean): Promise<void> {
	const { name, kind, revoked_at } = before;
	if (revoked_at !== null) return;
	const { expiresAt } = await factsOf(before);
	if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return;
	if (before.fingerprint === fingerprint && (isOwn || kind === 'partner')) return;
	throw refusedKey(`another key has the name ${name}: end its use with pgp-key revoke, or choose another name`);
}

async function factsOf({ public_key }: PgpKeyRow): Promise<KeyFacts> {
	const { readFacts } = await import('../../base/openpgp/keys.ts');
	return readFacts(public_key);
}

async function shown(row: PgpKeyRow) {
	const { userIds, expiresAt } = await factsOf(row);
	const { name, kind, fingerprint, public_key: publicKey, revoked_at, created_at } = row;
	const revokedAt = revoked_at === null ? null : new Date(revoked_at);
	return { name, kind, fingerprint, userIds, expiresAt, publicKey, revokedAt, createdAt: new Date(created_at) };
}
