// Makes sure that a call with an idempotency key takes effect once, even if a daemon dies during it or hangs for longer
// than its claim lasts. The claim notes what is stored in the same transaction, and what is sent before it is sent, so
// that a repeated call finds the note.

import type { FastifyRequest } from 'fastify';
import type { Knex } from 'knex';
import type { PlainTransaction } from '../../database/plain-transaction.ts';
import { ServiceError } from '../../errors.ts';
import type { ThirdPartyCall } from '../../relay/rooms.ts';
import type { StoreRequest, StoreResult } from '../../vault/new-card.ts';
import type { Token } from '../../vault/token.ts';
import type { HttpRooms } from '../rooms.ts';
import { claimNotes, SENT } from './idempotency-store.ts';

/** Returns what an earlier attempt at the same call has made already, although its answer was never kept. */
export function findMade({ idempotency }: FastifyRequest): string | undefined {
	return idempotency?.claim?.made ?? undefined;
}

/**
 * Returns a function that notes what a call makes, to be called in the transaction that makes it; undefined for a call
 * without a key.
 * @throws ServiceError if another call has taken over the claim
 */
export function notingMade({
	idempotency,
}: FastifyRequest): ((made: string, transaction: PlainTransaction | Knex.Transaction) => Promise<void>) | undefined {
	const claim = idempotency?.claim;
	if (!claim) return undefined;
	return async (made, transaction) => {
		if (!(await claimNotes(transaction as PlainTransaction).noteMade(claim, made))) throw lost();
	};
}

/**
 * Stores a record, unless an earlier attempt at the same call has done so. If that attempt got a token the account
 * already had, it is unknown whether it also added the reference, association and CVV. So `attach` adds them again,
 * which changes nothing that is already there.
 */
export async function storeOnce(
	request: FastifyRequest,
	store: (alongside: StoreRequest['alongside']) => Promise<StoreResult>,
	attach?: (earlier: Token) => Promise<void>,
): Promise<StoreResult> {
	const made = findMade(request);
	if (made !== undefined) {
		const isNew = !made.startsWith(GIVEN_BACK);
		const token = (isNew ? made : made.slice(GIVEN_BACK.length)) as Token;
		if (!isNew) await attach?.(token);
		return { token, isNew };
	}
	const note = notingMade(request);
	return store(note && (({ token, isNew }, transaction) => note(isNew ? token : GIVEN_BACK + token, transaction)));
}

/**
 * This text is written before a token that the account already had (duplicate elimination). It means that the
 * reference, association and CVV are added afterwards.
 */
const GIVEN_BACK = 'had ';

/**
 * Returns a function to be called before anything is sent to a third party; it does nothing for a call without a key.
 * From then on every answer is kept, even a failure of ours, because a repeated call would be sent again.
 */
export function notingSent(
	{ database }: Pick<HttpRooms, 'database'>,
	{ idempotency }: FastifyRequest,
): Pick<ThirdPartyCall, 'beforeSending' | 'notSent'> {
	const claim = idempotency?.claim;
	if (!claim) return {};
	return {
		async beforeSending() {
			if (!(await claimNotes(database.knex as never).noteMade(claim, SENT))) throw lost();
			idempotency.actedWith ??= new Set();
		},
		notSent() {
			idempotency.actedWith = undefined;
		},
	};
}

/**
 * Makes the error for a call that has lost its claim. The call that holds the claim does the work or has done it, and
 * repeating this call returns its answer.
 */
function lost(): ServiceError {
	return new ServiceError('database-unavailable', {
		field: 'Idempotency-Key',
		problem: 'another daemon has taken the call over',
	});
}
