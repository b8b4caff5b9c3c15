// Describes what is known of a call with an idempotency key before its answer is kept.

import type { JobId, PassId } from '../../../base/database/ids.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { IdempotencyRow } from './idempotency-store.ts';

/** A thing that a call has created. A repeated call is answered with the same thing. */
export type Made =
	| { readonly kind: 'token'; readonly id: Token }
	/**
	 * A token that the account already had (elimination of duplicates). The reference, association and CVV of the call
	 * may still have to be added to it.
	 */
	| { readonly kind: 'earlier-token'; readonly id: Token }
	| { readonly kind: 'job'; readonly id: JobId }
	| { readonly kind: 'card-request'; readonly id: string };

/** The work that a streamed call has begun. A repeated call does not begin it a second time. */
export type Begun =
	| { readonly kind: 'stream' | 'batch'; readonly id: PassId }
	| { readonly kind: 'request'; readonly id: string };

/** The call may have been sent to a third party, and nobody knows whether it took effect. */
export interface Sent {
	readonly kind: 'sent';
	readonly id: null;
}

export type Outcome = Made | Begun | Sent;

export function findOutcome({ outcome_kind, outcome_id }: OutcomeColumns): Outcome | undefined {
	return outcome_kind === null ? undefined : ({ kind: outcome_kind, id: outcome_id } as Outcome);
}

export function outcomeColumns(outcome: Outcome | undefined): OutcomeColumns {
	return { outcome_kind: outcome?.kind ?? null, outcome_id: outcome?.id ?? null };
}

type OutcomeColumns = Pick<IdempotencyRow, 'outcome_kind' | 'outcome_id'>;
