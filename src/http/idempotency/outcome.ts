// What is known of a call that has an idempotency key, before its answer is kept.

import type { JobId, PassId } from '../../database/ids.ts';
import type { Token } from '../../vault/token.ts';
import type { IdempotencyRow } from './idempotency-store.ts';

/** What a call has made, which the same call made again brings. */
export type Made =
	| { readonly kind: 'token'; readonly id: Token }
	/** A token that the account already had (elimination of duplicates): what goes beside it is added after. */
	| { readonly kind: 'earlier-token'; readonly id: Token }
	| { readonly kind: 'job'; readonly id: JobId };

/** What a streamed call has begun, which is not begun a second time. */
export type Begun =
	| { readonly kind: 'stream' | 'batch'; readonly id: PassId }
	| { readonly kind: 'request'; readonly id: string };

/** The call was about to be sent to a third party, and nobody knows what became of it. */
export interface Sent {
	readonly kind: 'sent';
	readonly id: null;
}

export type Outcome = Made | Begun | Sent;

/** Returns what the row says of its call, if it says anything. */
export function findOutcome({ outcome_kind, outcome_id }: OutcomeColumns): Outcome | undefined {
	return outcome_kind === null ? undefined : ({ kind: outcome_kind, id: outcome_id } as Outcome);
}

/** The columns of a row whose call has come this far. */
export function outcomeColumns(outcome: Outcome | undefined): OutcomeColumns {
	return { outcome_kind: outcome?.kind ?? null, outcome_id: outcome?.id ?? null };
}

type OutcomeColumns = Pick<IdempotencyRow, 'outcome_kind' | 'outcome_id'>;
