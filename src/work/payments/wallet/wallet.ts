// Offers the payments library to the HTTP routes (spec §5.4.3, shapes §8): sessions, and the operations carried out in
// them.

import type { Principal } from '../../../people/identity/principal.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { isOpen, type Transaction } from '../gateway/transaction.ts';
import { carryOut, type WalletCard } from './carry-out.ts';
import { STEPS } from './operation.ts';
import { sessionOf, type WalletSession } from './session.ts';
import { type SessionRow, sessionStore } from './session-store.ts';
import { openSessions, type WalletSessionsOptions } from './sessions.ts';
import { openResult } from './stored-result.ts';

export type { WalletCard } from './carry-out.ts';

/**
 * Lists the states of a session: `open` until there is a result; `completed` when everything is done; `failed` after a
 * refused payment (the page may try again until the session expires); `unknown` while nobody knows whether a payment
 * succeeded; `paid` when the payment succeeded and the card is still to be stored; `expired` when no payment was begun
 * in time.
 */
export const WALLET_STATUSES = ['open', 'completed', 'failed', 'unknown', 'paid', 'expired'] as const;
export type WalletStatus = (typeof WALLET_STATUSES)[number];

export type WalletResult = Awaited<ReturnType<Wallet['read']>>;

export interface WalletOptions extends WalletSessionsOptions {
	readonly gateway: Gateway;
	readonly vault: Vault;
}

export type Wallet = ReturnType<typeof openWallet>;

/** Opens the payments library, which uses a gateway and a vault. */
export function openWallet(options: WalletOptions) {
	const { database, keyRing, gateway, clock } = options;
	const sessions = openSessions(options);
	const store = sessionStore(database.knex);

	const resultOf = async (row: SessionRow) => {
		// The transaction of the last payment that was begun, in its current state; undefined if there was none.
		const transaction = row.transaction_id === null ? undefined : await gateway.find(row.owner_id, row.transaction_id);
		const status = statusOf(row, transaction, clock.now().getTime());
		return { session: sessionOf(row), status, transaction, stored: await openResult(keyRing, row) };
	};
	const getRow = async ({ id }: WalletSession): Promise<SessionRow> => {
		const row = await store.find(id);
		if (!row) throw new Error('internal error: a session that is in use is gone');
		return row;
	};

	return {
		create: sessions.create,
		/** Finds the session of a token, with the caller on whose behalf it acts; undefined if it is not valid now. */
		async authenticate(secret: string, address?: string) {
			const found = await sessions.authenticate(secret, address);
			return found && { session: sessionOf(found.row), principal: found.principal };
		},
		/**
		 * Carries out the operation of a session and returns its result. If the session is completed already, nothing is done
		 * again and the earlier result is returned.
		 * @throws ServiceError
		 */
		async carryOut(session: WalletSession, principal: Principal, card: WalletCard) {
			await carryOut(options, { session, principal, card });
			return resultOf(await getRow(session));
		},
		read: async (session: WalletSession) => resultOf(await getRow(session)),
		/**
		 * Returns the result of a session by its session token, until 24 hours after the session has expired. Only the
		 * account for which the session was created gets it.
		 */
		async findResult({ ownerId }: Pick<Principal, 'ownerId'>, secret: string) {
			const row = await sessions.find(secret);
			return row?.owner_id === ownerId ? resultOf(row) : undefined;
		},
	};
}

function statusOf(row: SessionRow, transaction: Transaction | undefined, now: number): WalletStatus {
	if (row.completed_at !== null) return 'completed';
	if (transaction) {
		// The payment was approved, but the session did not end: the outcome became known later, or a later step failed.
		if (transaction.state === 'approved') return STEPS[row.operation].storesCard ? 'paid' : 'completed';
		return isOpen(transaction) ? 'unknown' : 'failed';
	}
	if (row.claimed_until !== null && row.claimed_until > now) return 'open';
	// A payment was begun and its outcome was never recorded, because a daemon died.
	if (row.claim !== null && row.attempts > 0) return 'unknown';
	return row.expires_at > now ? 'open' : 'expired';
}
