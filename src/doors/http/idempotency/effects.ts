// Makes sure that a call with an idempotency key takes effect once, even if a daemon dies during the call or hangs for
// longer than the call's claim lasts. For this, the call notes in its claim what it stores or sends: in the transaction
// that stores something, or before something is sent. A repeated call finds this note.

import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../base/database/open.ts';
import type { SqlTransaction } from '../../../base/database/sql.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { StoreRequest, StoreResult } from '../../../vault/cards/new-card.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { ThirdPartyCall } from '../../../work/relay/third-party-call.ts';
import { claimNotes } from './idempotency-store.ts';
import { findOutcome, type Made } from './outcome.ts';

/** Returns what an earlier attempt at the same call has created without being answered; undefined if nothing. */
export function findMade<K extends Made['kind']>(
	{ idempotency }: FastifyRequest,
	...kinds: readonly K[]
): (Made & { readonly kind: K }) | undefined {
	const claim = idempotency?.claim;
	const outcome = claim && findOutcome(claim);
	if (outcome === undefined) return undefined;
	if ((kinds as readonly string[]).includes(outcome.kind)) return outcome as Made & { readonly kind: K };
	throw new Error(`internal error: the same call has come to ${outcome.kind} before, which it never makes`);
}

/**
 * Returns a function that notes in the claim what a call creates. It must be called in the transaction that creates the
 * thing. For a call without an idempotency key, which has no claim, undefined is returned instead.
 * @throws ServiceError from the returned function, if another call has taken over the claim
 */
export function notingMade({
	idempotency,
}: FastifyRequest): ((made: Made, transaction: SqlTransaction) => Promise<void>) | undefined {
	const claim = idempotency?.claim;
	if (!claim) return undefined;
	return async (made, transaction) => {
		if (!(await claimNotes(transaction).note(claim, made))) throw lost();
		idempotency.isNoted = true;
	};
}

/**
 * Stores a record, unless an earlier attempt at the same call has done so. If the earlier attempt was given a token
 * that the account already had, it is unknown whether it also added the call's reference, association and CVV to that
 * token. So `attach` adds them again, which does not change those that exist already.
 */
export async function storeOnce(
	request: FastifyRequest,
	store: (alongside: StoreRequest['alongside']) => Promise<StoreResult>,
	attach?: (earlier: Token) => Promise<void>,
): Promise<StoreResult> {
	const made = findMade(request, 'token', 'earlier-token');
	if (made !== undefined) {
		const isNew = made.kind === 'token';
		if (!isNew) await attach?.(made.id);
		return { token: made.id, isNew };
	}
	const note = notingMade(request);
	return store(
		note &&
			(({ token, isNew }, transaction) => note({ kind: isNew ? 'token' : 'earlier-token', id: token }, transaction)),
	);
}

/**
 * Returns the functions to be called before and after a request is sent to a third party. `beforeSending` notes that the
 * request is sent. From then on no failure invites the caller to repeat the call, and if the call has an idempotency key,
 * every answer is kept, because a repeated call would send the request again. `notSent` is called if it turns out that
 * nothing was sent; then a failure of this service is answered as usual and not kept.
 */
export function notingSent(
	{ database }: { database: Database },
	request: FastifyRequest,
): Required<Pick<ThirdPartyCall, 'beforeSending' | 'notSent'>> {
	const { idempotency } = request;
	return {
		async beforeSending() {
			const claim = idempotency?.claim;
			if (claim && !(await claimNotes(database.knex as never).note(claim, { kind: 'sent', id: null }))) throw lost();
			request.mayHaveActed = true;
			if (idempotency) idempotency.actedWith ??= new Set();
		},
		notSent() {
			request.mayHaveActed = false;
			if (idempotency) idempotency.actedWith = undefined;
		},
	};
}

/**
 * Returns the error for a call that has lost its claim. Another call now holds the claim and does the work or has done
 * it; the caller gets the answer of that call by repeating its own.
 */
function lost(): ServiceError {
	return new ServiceError('database-unavailable', {
		field: 'Idempotency-Key',
		problem: 'another daemon has taken the call over',
	});
}
