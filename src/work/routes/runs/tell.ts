// What a route tells about itself.

import type { Knex } from 'knex';
import type { AccountId } from '../../../base/database/ids.ts';
import type { EventName } from '../../../base/outbox/event-types.ts';

/** The types of what a route tells. Their data hold no card data. */
export type RouteEvent = Extract<EventName, `route.${string}`>;

export interface Told {
	readonly accountId: AccountId;
	readonly userId: string;
	readonly route: string;
	readonly details: Readonly<Record<string, unknown>>;
}

export interface Teller {
	/** Tells something to whoever wants to know, in the transaction of what it is about. */
	tell(transaction: Knex.Transaction, type: RouteEvent, told: Told): Promise<void>;
}
