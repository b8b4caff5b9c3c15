// Writes events as rows, in the transaction of what they tell of, so that an event is there exactly when its cause is.
// Another part delivers them (`src/work/events`).

import { createHash } from 'node:crypto';
import type { AccountId } from '../database/ids.ts';
import type { SqlTransaction } from '../database/sql.ts';
import { makeUlid } from '../database/ulid.ts';
import { redactText } from '../log/redaction.ts';
import type { EventName } from './event-types.ts';
import { type EventRow, type Listener, type NewDelivery, outboxStore } from './outbox-store.ts';

/** Stands before the ULID in the id of an event. */
export const EVENT_PREFIX = 'evt_';

export interface NewEvent {
	readonly type: EventName;
	/** The account to which it happened. Endpoints of its primary account are told. */
	readonly accountId: AccountId;
	/** What it is about, such as `job 01j…`. Events about the same thing reach each endpoint in their order. */
	readonly about: string;
	/** The data without the account, which is added. */
	readonly data: Readonly<Record<string, unknown>>;
	/** A text that no other event has, if this one may be told only once however often its cause is found. */
	readonly once?: string;
}

/** The bodies of webhooks must be small: with so many characters, no event reaches the limit of 20 KB. */
const MAX_TEXT = 400;
/** Times and ids that we have made are left as they are, because some of them could be taken for card numbers. */
const OWN_TEXT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-hjkmnp-tv-z]{26})$/;

/**
 * Records events in a transaction. Accounts whose primary account has no endpoint cost one query. No event has card data:
 * what looks like a card number or a secret in a text, such as the name of a file, is masked here.
 */
export async function recordEvents(
	transaction: SqlTransaction,
	events: readonly NewEvent[],
	nowMs: number,
): Promise<void> {
	if (events.length === 0) return;
	const store = outboxStore(transaction);
	const accounts = [...new Set(events.map(({ accountId }) => accountId))];
	const listeners = Map.groupBy(await store.listListeners(accounts), ({ account }) => account);
	if (listeners.size === 0) return;
	const rows: EventRow[] = [];
	const deliveries: NewDelivery[] = [];
	for (const event of events) {
		const told = listeners.get(event.accountId);
		if (told === undefined) continue;
		const row = rowOf(event, told[0], nowMs);
		rows.push(row);
		for (const { endpoint_id } of told.filter((each) => wants(each, event.type))) {
			const { id: event_id, account_id, about } = row;
			deliveries.push({ event_id, endpoint_id, account_id, about, next_at: nowMs });
		}
	}
	const written = await store.insertEvents(rows);
	await store.insertDeliveries(deliveries.filter(({ event_id }) => written.has(event_id)));
}

export function wants({ types, disabled_at }: Pick<Listener, 'types' | 'disabled_at'>, type: string): boolean {
	return disabled_at === null && (types === null || types.split(',').includes(type));
}

/** Returns the body of an event as it is sent. */
export function eventBody(type: string, nowMs: number, data: Readonly<Record<string, unknown>>): string {
	return JSON.stringify({ type, timestamp: new Date(nowMs).toISOString(), data: cleaned(data) });
}

function rowOf({ type, about, data, once }: NewEvent, { user_id, owner_id }: Listener, nowMs: number): EventRow {
	const body = eventBody(type, nowMs, { account: user_id, ...data });
	return {
		id: EVENT_PREFIX + makeUlid(nowMs),
		account_id: owner_id,
		type,
		about,
		once: onceHash(once),
		body,
		created_at: nowMs,
	};
}

/** Such a text can be long, so its hash is stored. */
function onceHash(once: string | undefined): string | null {
	return once === undefined ? null : createHash('sha256').update(once).digest('hex');
}

function cleaned(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(data).map(([name, value]) => [
			name,
			typeof value === 'string' && !OWN_TEXT.test(value) ? redactText(value).slice(0, MAX_TEXT) : value,
		]),
	);
}
