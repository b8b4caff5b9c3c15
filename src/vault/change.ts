// What somebody does to a record that is stored already, told to whoever keeps a trail of it.

import type { Knex } from 'knex';
import type { Actor } from '../actor.ts';
import type { Token } from './token.ts';

/** Who changes a record, and what the trail calls it. */
export interface ChangedBy {
	readonly actor: Actor;
	readonly action:
		| 'card.delete'
		| 'card.associate'
		| 'card.dissociate'
		| 'cvv.clear'
		| 'cvv.policy'
		| 'data-block.delete';
	/** The merchant a token was associated with or taken from; `all` for every one. */
	readonly merchant?: string;
}

export interface Change extends ChangedBy {
	readonly token: Token;
}

/** Told of every change that says who makes it, last in its transaction: what it writes stands or falls with the change. */
export type OnChanged = (change: Change, transaction: Knex.Transaction) => Promise<void>;
