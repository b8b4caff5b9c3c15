// Tells of allowances and accounts.

import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import { allowanceStore, type Usage } from './allowance-store.ts';

/** An account is told once this share of its allowance is used, in per cent. */
const TOLD_AT = 80;

/**
 * Records an event for each account that has used 80 per cent of its allowance, once for each allowance. Units are taken
 * without a transaction, so a task looks for such accounts. Returns how many there are.
 */
export async function tellFullAllowances({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const full = await allowanceStore(database.knex).listToldFrom(TOLD_AT);
	if (full.length === 0) return 0;
	const events = full.map(({ id, limit, used }): NewEvent => {
		const once = `allowance.80 ${id} ${limit}`;
		return { type: 'allowance.80', accountId: id, about: 'allowance', data: { used, limit }, once };
	});
	await transact(database, (transaction) => recordEvents(transaction, events, clock.now().getTime()));
	return full.length;
}

/** Returns the events of an account that was blocked because its allowance is used up. */
export function usedUpEvents(accountId: AccountId, usage: Usage | undefined): NewEvent[] {
	const about = 'allowance';
	const { used, limit } = usage ?? { used: 0, limit: 0 };
	return [
		{ type: 'allowance.used_up', accountId, about, data: { used, limit } },
		lockedEvent(accountId, 'allowance used up'),
	];
}

export function lockedEvent(accountId: AccountId, cause: string): NewEvent {
	return { type: 'account.locked', accountId, about: 'allowance', data: { cause } };
}
