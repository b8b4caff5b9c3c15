import type { Knex } from 'knex';
import { byIndex, type Dialect, skipLockedClause, transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { countUpTo, keepMadeWithin, type ListPage, readListPage } from '../../base/database/list-page.ts';
import { execute, queryRows } from '../../base/database/sql.ts';
import { type Why, type WhyColumns, whyColumns } from '../../base/failures.ts';
import { EVENT_PREFIX } from '../../base/outbox/record-events.ts';
import { PAUSED_UNTIL_MS } from './endpoint-store.ts';

/** A delivery that a claim holds, with its event. */
export interface ClaimedDelivery {
	readonly id: number;
	readonly event_id: string;
	readonly type: string;
	readonly body: string;
	/** How often it was tried before. */
	readonly tries: number;
}

export interface TriedDelivery extends WhyColumns {
	readonly id: number;
	readonly state: 'sent' | 'failed' | 'waiting';
	readonly tries: number;
	readonly status: number | null;
	/** When it is tried again, if it waits. */
	readonly next_at: number;
}

export interface DeliveryRow extends WhyColumns {
	readonly event_id: string;
	readonly endpoint: string | null;
	readonly state: 'waiting' | 'sent' | 'failed';
	readonly tries: number;
	readonly status: number | null;
	readonly next_at: number;
	readonly ended_at: number | null;
}

export interface StoredEvent {
	readonly id: string;
	readonly type: string;
	readonly body: string;
	readonly created_at: number;
}

/** Selects events that fit everything that is given. */
export interface EventQuestion {
	readonly fromMs?: number;
	readonly toMs?: number;
	readonly type?: string;
}

export type EventRange = EventQuestion & ListPage<string>;

const ROWS = 500;

export function deliveryStore(database: { readonly knex: Knex; readonly dialect: Dialect }) {
	const { knex, dialect } = database;
	const eventsOf = (accountId: AccountId, { type, ...period }: EventQuestion): Knex.QueryBuilder => {
		// SQLite would take the index of all types for a period, however few events have this one.
		const from = type === undefined ? 'events' : byIndex(dialect, 'events', 'events_by_type');
		const query = knex.from(knex.raw(from)).where({ account_id: accountId });
		keepMadeWithin(query, period, { prefix: EVENT_PREFIX });
		return type === undefined ? query : query.andWhere({ type });
	};
	return {
		/** Lists endpoints with a delivery that is due, those that have waited longest first. */
		async listDueEndpoints(now: number, limit: number): Promise<string[]> {
			const sql = `select d.endpoint_id, min(d.next_at) as first from event_deliveries d
				join event_endpoints e on e.id = d.endpoint_id
				where d.state = 'waiting' and d.next_at <= ? and (d.claimed_until is null or d.claimed_until <= ?)
					and e.disabled_at is null and (e.rest_until is null or e.rest_until <= ?)
				group by d.endpoint_id order by first limit ?`;
			const rows = await queryRows<{ endpoint_id: string }>(knex, sql, [now, now, now, limit]);
			return rows.map(({ endpoint_id }) => endpoint_id);
		},
		/**
		 * Claims deliveries of an endpoint that are due. Of those about the same thing only the first is claimed, even if it is
		 * not due, so that they come in their order.
		 */
		async claim(
			endpointId: string,
			{ claim, now, until, limit }: { claim: string; now: number; until: number; limit: number },
		): Promise<ClaimedDelivery[]> {
			return transact(database, async (transaction) => {
				const select = `select d.id from event_deliveries d
					where d.endpoint_id = ? and d.state = 'waiting' and d.next_at <= ?
						and (d.claimed_until is null or d.claimed_until <= ?)
						and not exists (select 1 from event_deliveries e where e.endpoint_id = d.endpoint_id
							and e.about = d.about and e.state = 'waiting' and e.id < d.id)
					order by d.next_at, d.id limit ? ${skipLockedClause(dialect)}`;
				const found = await queryRows<{ id: number }>(transaction, select, [endpointId, now, now, limit]);
				if (found.length === 0) return [];
				const ids = found.map(({ id }) => id);
				const list = ids.map(() => '?');
				const update = `update event_deliveries set claim = ?, claimed_until = ? where id in (${list})`;
				await execute(transaction, update, [claim, until, ...ids]);
				const read = `select d.id, d.event_id, d.tries, e.type, e.body from event_deliveries d
					join events e on e.id = d.event_id where d.id in (${list}) order by d.id`;
				return queryRows<ClaimedDelivery>(transaction, read, ids);
			});
		},
		/** Gives back all that is claimed. No daemon may deliver meanwhile. */
		async releaseAll(): Promise<void> {
			const sql = 'update event_deliveries set claim = null, claimed_until = null where claim is not null';
			await execute(knex, sql, []);
		},
		/** Gives claimed deliveries back that were not tried. */
		async release(claim: string, ids: readonly number[]): Promise<void> {
			if (ids.length === 0) return;
			const sql = `update event_deliveries set claim = null, claimed_until = null
				where claim = ? and id in (${ids.map(() => '?')})`;
			await execute(knex, sql, [claim, ...ids]);
		},
		/** Gives up the deliveries that wait for an endpoint that was disabled or removed; returns how many. */
		async giveUp(transaction: Knex.Transaction, endpointId: string, given: Why, now: number): Promise<number> {
			const sql = `update event_deliveries set state = 'failed', reason = ?, told = ?, ended_at = ?, claim = null,
				claimed_until = null where endpoint_id = ? and state = 'waiting'`;
			const { reason, told } = whyColumns(given);
			return execute(transaction, sql, [reason, told, now, endpointId]);
		},
		async listEvents(accountId: AccountId, { after, before, limit, ...question }: EventRange): Promise<StoredEvent[]> {
			const query = eventsOf(accountId, question).select('id', 'type', 'body', 'created_at');
			return readListPage<StoredEvent>(query, 'id', { after, before, limit });
		},
		async countEvents(accountId: AccountId, question: EventQuestion, most: number): Promise<number> {
			return countUpTo(knex, eventsOf(accountId, question), most);
		},
		async findEvent(accountId: AccountId, id: string): Promise<StoredEvent | undefined> {
			return knex('events').where({ account_id: accountId, id }).first('id', 'type', 'body', 'created_at');
		},
		async listDeliveries(ids: readonly string[]): Promise<DeliveryRow[]> {
			const rows: DeliveryRow[] = [];
			for (let at = 0; at < ids.length; at += ROWS) {
				const some = ids.slice(at, at + ROWS);
				const sql = `select d.event_id, e.name as endpoint, d.state, d.tries, d.status, d.reason, d.told, d.next_at, d.ended_at
					from event_deliveries d left join event_endpoints e on e.id = d.endpoint_id
					where d.event_id in (${some.map(() => '?')}) order by d.id`;
				rows.push(...(await queryRows<DeliveryRow>(knex, sql, some)));
			}
			return rows;
		},
		/**
		 * Counts what waits, without what waits for endpoints that are paused, and returns when the oldest event of it was
		 * recorded; null if nothing waits. Also counts the endpoints that were disabled.
		 */
		async figures(): Promise<{ waiting: number; oldestAt: number | null; disabled: number }> {
			const sql = `with waiting as (select count(*) as number, min(d.id) as first from event_deliveries d
					join event_endpoints e on e.id = d.endpoint_id
					where d.state = 'waiting' and coalesce(e.rest_until, 0) < ${PAUSED_UNTIL_MS})
				select number as waiting, (select v.created_at from event_deliveries d join events v on v.id = d.event_id
					where d.id = waiting.first) as "oldestAt",
					(select count(*) from event_endpoints where disabled_at is not null) as disabled from waiting`;
			return (await queryRows<{ waiting: number; oldestAt: number | null; disabled: number }>(knex, sql))[0];
		},
		/** Gives up what has waited since before a time for endpoints that are paused; returns how many deliveries. */
		async giveUpPaused(beforeMs: number, given: Why, now: number): Promise<number> {
			const sql = `update event_deliveries set state = 'failed', reason = ?, told = ?, ended_at = ?, claim = null,
				claimed_until = null where state = 'waiting' and endpoint_id in (select id from event_endpoints where rest_until = ?)
					and event_id in (select id from events where created_at < ?)`;
			const { reason, told } = whyColumns(given);
			return execute(knex, sql, [reason, told, now, PAUSED_UNTIL_MS, beforeMs]);
		},
		/** Removes events older than a time with their deliveries, but those that still wait; returns how many events. */
		async purge(beforeMs: number): Promise<number> {
			return transact(database, async (transaction) => {
				const old = `select id from events where created_at < ? and not exists
					(select 1 from event_deliveries d where d.event_id = events.id and d.state = 'waiting') limit ${ROWS}`;
				const ids = (await queryRows<{ id: string }>(transaction, old, [beforeMs])).map(({ id }) => id);
				if (ids.length === 0) return 0;
				const list = ids.map(() => '?');
				await execute(transaction, `delete from event_deliveries where event_id in (${list})`, ids);
				return execute(transaction, `delete from events where id in (${list})`, ids);
			});
		},
	};
}

/** Notes how tries ended, in a transaction. What another claim has taken over meanwhile is left alone. */
export async function noteTries(
	transaction: Knex.Transaction,
	claim: string,
	tried: readonly TriedDelivery[],
	now: number,
): Promise<void> {
	// Deliveries that ended in the same way, which are nearly all, share a statement.
	const alike = Map.groupBy(tried, ({ state, tries, status, reason, told, next_at }) =>
		JSON.stringify([state, tries, status, reason, told, state === 'waiting' ? next_at : 0]),
	);
	for (const [, some] of alike) {
		const [{ state, tries, status, reason, told, next_at }] = some;
		const ended = state === 'waiting' ? null : now;
		const sql = `update event_deliveries set state = ?, tries = ?, status = ?, reason = ?, told = ?, next_at = ?, ended_at = ?,
			claim = null, claimed_until = null where claim = ? and id in (${some.map(() => '?')})`;
		const ids = some.map(({ id }) => id);
		await execute(transaction, sql, [state, tries, status, reason, told, next_at, ended, claim, ...ids]);
	}
}

/** Adds deliveries of events to endpoints, but where one waits already; returns how many. */
export async function addDeliveries(
	transaction: Knex.Transaction,
	{ accountId, endpointId, types }: { accountId: AccountId; endpointId: string; types: readonly string[] | null },
	{ fromMs, toMs, id, now }: { fromMs: number; toMs: number; id?: string; now: number },
): Promise<number> {
	const onlyTypes = types === null ? '' : `and v.type in (${types.map(() => '?')})`;
	const onlyOne = id === undefined ? '' : 'and v.id = ?';
	const sql = `insert into event_deliveries (event_id, endpoint_id, account_id, about, state, next_at)
		select v.id, ?, v.account_id, v.about, 'waiting', cast(? as bigint) from events v
		where v.account_id = ? and v.created_at >= ? and v.created_at < ? ${onlyTypes} ${onlyOne}
			and not exists (select 1 from event_deliveries d
				where d.event_id = v.id and d.endpoint_id = ? and d.state = 'waiting')
		order by v.id`;
	const chosen = [...(types ?? []), ...(id === undefined ? [] : [id])];
	return execute(transaction, sql, [endpointId, now, accountId, fromMs, toMs, ...chosen, endpointId]);
}
