// Manages the session tokens of the payments library. They differ from all other credentials: they are given to
// browsers and are valid for one operation only. Like other credentials, only their hashes are stored, for as long as
// the result of the session can be queried.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { credentialHasher } from '../../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { Secret } from '../../../base/settings/secret.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { SessionPlan } from './session.ts';
import { type SessionRow, sealedSessions, sessionStore } from './session-store.ts';

/** A session lives this long, as spec §2.2 prescribes. */
const WALLET_SESSION_LIFETIME_MS = 5 * 60_000;
/** The result of a session can be queried for this long after the session has expired. */
const RESULTS_KEPT_MS = 24 * 3_600_000;

const RANDOM_BYTES = 32;
/** Only this many characters of a secret are hashed, so that nobody can cause much work with a long one. */
const MAX_SECRET_CHARACTERS = 1_024;
/**
 * No API key has this id. If a session does not exist, this id is looked up in place of the session's key. So the call
 * takes as long as for a session that exists, and its duration tells nothing.
 */
const NO_KEY = 0;

export interface WalletSessionsOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly audit: Audit;
	readonly clock: Clock;
}

/** Gives access to the sessions; the database must be migrated. */
export function openSessions({ database, keyRing, identity, audit, clock }: WalletSessionsOptions) {
	const store = sessionStore(database.knex);
	const hasher = credentialHasher(keyRing);
	const now = () => clock.now().getTime();

	/** Finds a session by its session token, even if the session has ended, as long as its result can be queried. */
	const find = async (secret: string) => {
		const text = secret.slice(0, MAX_SECRET_CHARACTERS);
		return keyRing.seals.find(sealedSessions, async () => {
			const row = await hasher.find(text, (hashes) => store.findByHash(hashes.map(({ hash }) => hash)));
			return !row || row.expires_at + RESULTS_KEPT_MS <= now() ? undefined : row;
		});
	};

	return {
		find,
		async create(principal: Principal, plan: SessionPlan): Promise<{ readonly secret: Secret }> {
			const { apiKeyId } = principal;
			if (apiKeyId === undefined) throw new Error('internal error: a session needs the API key it stands for');
			const text = `ws_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
			const { hash } = await hasher.hashNew(text);
			const row = newRow(principal, plan, { hash, apiKeyId, now: now() });
			const { operation, amount_minor: amountMinor, currency, gateway } = row;
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				await sessionStore(transaction).insert({ ...row, ...sealer.seal(sealedSessions, row) });
				const entry = { actor: actorOf(principal), action: 'wallet.session', subject: `wallet session ${row.id}` };
				await audit.record({ ...entry, details: { operation, amountMinor, currency, gateway } }, transaction);
			});
			return { secret: new Secret(text) };
		},
		/**
		 * Returns the session to which a session token belongs and the caller on whose behalf it acts, if the token is still
		 * valid. `address` is the client's address.
		 */
		async authenticate(secret: string, address?: string) {
			const row = await find(secret);
			const principal = await identity.byApiKeyId(row?.api_key_id ?? NO_KEY);
			return row && principal && row.expires_at > now() ? { row, principal: { ...principal, address } } : undefined;
		},
	};
}

function newRow(
	{ accountId, ownerId }: Principal,
	plan: SessionPlan,
	{ hash, apiKeyId, now }: { hash: string; apiKeyId: number; now: number },
): Omit<SessionRow, 'seal_key' | 'seal'> {
	return {
		id: makeUlid(now),
		hash,
		account_id: accountId,
		owner_id: ownerId,
		api_key_id: apiKeyId,
		operation: plan.operation,
		amount_minor: plan.amount?.minor ?? null,
		currency: plan.amount?.currency ?? null,
		gateway: plan.gateway ?? null,
		credentials_id: plan.credentialsId ?? null,
		my_ref: plan.myRef ?? null,
		reference: plan.reference ?? null,
		merchant_id: plan.merchantId ?? null,
		save_cvv: plan.saveCvv ?? null,
		card_types: plan.cardTypes?.join(',') ?? null,
		created_at: now,
		expires_at: now + WALLET_SESSION_LIFETIME_MS,
		attempts: 0,
		transaction_id: null,
		claim: null,
		claimed_until: null,
		completed_at: null,
		key_id: null,
		sealed: null,
	};
}

/** Removes sessions whose results can no longer be queried, and returns how many. */
export async function purgeWalletSessions(parts: {
	readonly database: Database;
	readonly clock: Clock;
}): Promise<number> {
	const { database, clock } = parts;
	return sessionStore(database.knex).removeExpired(clock.now().getTime() - RESULTS_KEPT_MS);
}
