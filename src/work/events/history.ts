// Shows the events of an account with what became of them, and has them delivered again.

import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { badInput } from '../../base/errors.ts';
import { readWhy, told, why } from '../../base/failures.ts';
import { isEventName } from '../../base/outbox/event-types.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import {
	addDeliveries,
	type DeliveryRow,
	deliveryStore,
	type EventQuestion,
	type EventRange,
	type StoredEvent,
} from './delivery-store.ts';
import { endpointStore } from './endpoint-store.ts';
import { endpointDisabled, unknownType } from './endpoints.ts';

/** Nothing else is looked up, because a database refuses some texts. */
const EVENT_ID = /^evt_[0-9a-z]{26}$/;
const DAY_MS = 86_400_000;
/** Events are kept for this time. One that still waits is kept longer. */
export const KEEP_DAYS = 30;

export type ShownDelivery = ReturnType<typeof shownDelivery>;
export type ShownEvent = ReturnType<typeof shown>;

export async function listEvents(database: Database, accountId: AccountId, range: EventRange): Promise<ShownEvent[]> {
	const { type } = range;
	if (type !== undefined && !isEventName(type)) {
		throw badInput('type', `is ${unknownType(type)}`);
	}
	const store = deliveryStore(database);
	const events = await store.listEvents(accountId, range);
	const deliveries = Map.groupBy(await store.listDeliveries(events.map(({ id }) => id)), ({ event_id }) => event_id);
	return events.map((event) => shown(event, deliveries.get(event.id) ?? []));
}

/** Returns one event of an account, or undefined if there is none with this id. */
export async function findEvent(database: Database, accountId: AccountId, id: string): Promise<ShownEvent | undefined> {
	return (await findToldEvent(database, accountId, id))?.event;
}

/** An event for pages, which word in the language of their reader why deliveries were not received. */
export type ToldEvent = NonNullable<Awaited<ReturnType<typeof findToldEvent>>>;

async function findToldEvent(database: Database, accountId: AccountId, id: string) {
	if (!EVENT_ID.test(id)) return undefined;
	const store = deliveryStore(database);
	const event = await store.findEvent(accountId, id);
	if (!event) return undefined;
	const deliveries = await store.listDeliveries([id]);
	return {
		event: shown(event, deliveries),
		/** Those of its deliveries, in their order. */
		failures: deliveries.map(readWhy),
	};
}

export interface ReplayPlan {
	readonly fromMs?: number;
	readonly toMs?: number;
	/** Only this event. */
	readonly id?: string;
	/** Only to this endpoint; otherwise to all. */
	readonly endpoint?: string;
}

/**
 * Has events delivered again, under the ids that they have, to the endpoints that want their types now. Where one waits
 * already, no other is added. Returns how many deliveries were added.
 */
export async function replayEvents(
	{ database, audit, clock }: { database: Database; audit: Pick<Audit, 'record'>; clock: Clock },
	{ accountId, userId }: { accountId: AccountId; userId: string },
	plan: ReplayPlan,
	actor: Actor,
): Promise<number> {
	const now = clock.now().getTime();
	if (plan.id !== undefined && (await findEvent(database, accountId, plan.id)) === undefined) {
		const problem = 'the account has no such event: event list shows those of the last thirty days';
		throw badInput('id', problem, told('not-there'));
	}
	const all = await endpointStore(database.knex).list(accountId);
	const named = plan.endpoint === undefined ? all : all.filter(({ name }) => name === plan.endpoint);
	if (plan.endpoint !== undefined && named.length === 0) {
		const problem = 'the account has no endpoint with this name';
		throw badInput('name', problem, told('not-there'));
	}
	const enabled = named.filter(({ disabled_at }) => disabled_at === null);
	if (plan.endpoint !== undefined && enabled.length === 0) throw endpointDisabled();
	const { fromMs = 0, toMs = now + 1, id, endpoint } = plan;
	return transact(database, async (transaction) => {
		let added = 0;
		for (const row of enabled) {
			const to = { accountId, endpointId: row.id, types: row.types?.split(',') ?? null };
			added += await addDeliveries(transaction, to, { fromMs, toMs, id, now });
		}
		const times = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
		const details = {
			...times,
			added,
			...(id !== undefined && { event: id }),
			...(endpoint !== undefined && { endpoint }),
		};
		await audit.record({ actor, action: 'event.replay', subject: `account ${userId}`, details }, transaction);
		return added;
	});
}

export type EventHistory = ReturnType<typeof openEventHistory>;

/** Gives access to the events of accounts; the database must be migrated. */
export function openEventHistory(parts: { database: Database; audit: Pick<Audit, 'record'>; clock: Clock }) {
	const { database } = parts;
	return {
		list: (accountId: AccountId, range: EventRange) => listEvents(database, accountId, range),
		count: (accountId: AccountId, question: EventQuestion, most: number) =>
			deliveryStore(database).countEvents(accountId, question, most),
		/** Finds an event, and why each of its deliveries was not received, in the order of the deliveries. */
		find: (accountId: AccountId, id: string) => findToldEvent(database, accountId, id),
		replay: (owner: { accountId: AccountId; userId: string }, plan: ReplayPlan, actor: Actor) =>
			replayEvents(parts, owner, plan, actor),
	};
}

/** Reads a day (UTC), or a time with its zone; returns undefined if it is neither. */
export function parseEventTime(text: string): number | undefined {
	const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
	const ms = isTime ? Date.parse(text) : Number.NaN;
	return Number.isNaN(ms) ? undefined : ms;
}

/** Removes old events; returns how many. Any daemon may run this, even two at once. */
export async function purgeEvents({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const now = clock.now().getTime();
	const before = now - KEEP_DAYS * DAY_MS;
	const given = why(`the endpoint was paused for ${KEEP_DAYS} days`, 'endpoint-paused-too-long', { days: KEEP_DAYS });
	await deliveryStore(database).giveUpPaused(before, given, now);
	let removed = 0;
	for (;;) {
		const some = await deliveryStore(database).purge(before);
		removed += some;
		if (some === 0) return removed;
	}
}

function shown({ id, body }: StoredEvent, deliveries: readonly DeliveryRow[]) {
	const { type, timestamp, data } = JSON.parse(body) as {
		readonly type: string;
		readonly timestamp: string;
		readonly data: Readonly<Record<string, unknown>>;
	};
	return { id, type, timestamp, data, deliveries: deliveries.map(shownDelivery) };
}

function shownDelivery({ endpoint, state, tries, status, reason, next_at, ended_at }: DeliveryRow) {
	return {
		/** Null once the endpoint is removed. */
		endpoint,
		state,
		tries,
		status,
		reason,
		nextTryAt: state === 'waiting' ? new Date(next_at).toISOString() : null,
		endedAt: ended_at === null ? null : new Date(ended_at).toISOString(),
	};
}
