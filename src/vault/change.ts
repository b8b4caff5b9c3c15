// Describes a change of a stored record, which is reported to the code that keeps the audit trail.

import type { Knex } from 'knex';
import type { Actor } from '../actor.ts';
import type { Token } from './token.ts';

/** Names the person who changes a record, and the change itself, as the audit trail shows them. */
export interface ChangedBy {
	readonly actor: Actor;
	readonly action:
		| 'card.delete'
		| 'card.associate'
		| 'card.dissociate'
		| 'cvv.clear'
		| 'cvv.policy'
		| 'cvv.store'
		| 'data-block.delete';
	/** The merchant who was associated with a token or removed from it; `all` means that all merchants were removed. */
	readonly merchant?: string;
}

export interface Change extends ChangedBy {
	readonly token: Token;
}

/**
 * This function is called last in the transaction of every change that has a `ChangedBy`, so that the rows it writes
 * are committed together with the change.
 */
export type OnChanged = (change: Change, transaction: Knex.Transaction) => Promise<void>;
