// What a call with an idempotency key does, it does once, also where a daemon dies over it or hangs for longer than its
// claim lasts. What is stored is written to the claim in the transaction that stores it, and what is sent before it is
// sent: whoever makes the call again finds it there.

import type { FastifyRequest } from 'fastify';
import type { Knex } from 'knex';
import type { PlainTransaction } from '../../database/plain-transaction.ts';
import { ServiceError } from '../../errors.ts';
import type { ThirdPartyCall } from '../../relay/rooms.ts';
import type { StoreRequest, StoreResult } from '../../vault/new-card.ts';
import type { Token } from '../../vault/token.ts';
import type { HttpRooms } from '../rooms.ts';
import { claimNotes } from './idempotency-store.ts';
import { findOutcome, type Made } from './outcome.ts';

/** What the same call has made already, though its answer was never kept. */
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
 * To be done in the transaction that makes it; undefined for a call without a key.
 * @throws ServiceError when the claim is somebody else's by now
 */
export function notingMade({
	idempotency,
}: FastifyRequest): ((made: Made, transaction: PlainTransaction | Knex.Transaction) => Promise<void>) | undefined {
	const claim = idempotency?.claim;
	if (!claim) return undefined;
	return async (made, transaction) => {
		if (!(await claimNotes(transaction as PlainTransaction).note(claim, made))) throw lost();
	};
}

/**
 * Stores a record, unless the same call has done so. Where that was given back an earlier token, nobody knows whether it
 * still came to add what is to stand beside it: `attach` does so again, which changes nothing that is there.
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
 * To be told before anything leaves for a third party; empty for a call without a key. From then on the answer is kept
 * whatever it is, a failure of ours too: asked again, the call would be made again.
 */
export function notingSent(
	{ database }: Pick<HttpRooms, 'database'>,
	{ idempotency }: FastifyRequest,
): Pick<ThirdPartyCall, 'beforeSending' | 'notSent'> {
	const claim = idempotency?.claim;
	if (!claim) return {};
	return {
		async beforeSending() {
			if (!(await claimNotes(database.knex as never).note(claim, { kind: 'sent', id: null }))) throw lost();
			idempotency.actedWith ??= new Set();
		},
		notSent() {
			idempotency.actedWith = undefined;
		},
	};
}

/** Whoever has the claim is doing it, or has done it: asked again, the call brings that. */
function lost(): ServiceError {
	return new ServiceError('database-unavailable', {
		field: 'Idempotency-Key',
		problem: 'another daemon has taken the call over',
	});
}
