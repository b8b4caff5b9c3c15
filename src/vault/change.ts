// Describes a change of a stored record, which is reported to the code that keeps the audit trail.

import type { Knex } from 'knex';
import type { AccountId } from '../base/database/ids.ts';
import type { Actor } from '../trail/actor.ts';
import type { Token } from './tokens/token.ts';

/** Says who changes a record and how, in the form that the audit trail shows. */
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
	/**
	 * The merchant with whom a token was associated or whose association was revoked; `all` if the associations with all
	 * merchants were revoked.
	 */
	readonly merchant?: string;
}

export interface Change extends ChangedBy {
	readonly token: Token;
}

/** A change with the account that owns the record. */
export interface OwnedChange extends Change {
	readonly accountId: AccountId;
}

/**
 * This function is called for every change whose `ChangedBy` is given, as the last step of the transaction of that
 * change. So the rows that it writes are committed together with the change.
 */
export type OnChanged = (change: OwnedChange, transaction: Knex.Transaction) => Promise<void>;
