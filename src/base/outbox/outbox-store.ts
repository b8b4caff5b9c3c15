import { insertRows } from '../database/bulk-insert.ts';
import type { AccountId } from '../database/ids.ts';
import { queryRows, type SqlTransaction } from '../database/sql.ts';

/** An endpoint that wants to be told of an account's events. */
export interface Listener {
	readonly account: AccountId;
	readonly user_id: string;
	readonly owner_id: AccountId;
	readonly endpoint_id: string;
	readonly types: string | null;
	readonly disabled_at: number | null;
}

export interface EventRow {
	readonly id: string;
	/** The primary account, whose endpoints are told. */
	readonly account_id: AccountId;
	readonly type: string;
	readonly about: string;
	readonly once: string | null;
	readonly body: string;
	readonly created_at: number;
}

export interface NewDelivery {
	readonly event_id: string;
	readonly endpoint_id: string;
	readonly account_id: AccountId;
	readonly about: string;
	readonly next_at: number;
}

/** At most so many rows go into one statement, which may have a limited number of values. */
const ROWS = 100;

/** Reads and writes within the transaction of what the events tell of. */
export function outboxStore(transaction: SqlTransaction) {
	return {
		async listListeners(accounts: readonly AccountId[]): Promise<Listener[]> {
			const sql = `select a.id as account, a.user_id, e.account_id as owner_id, e.id as endpoint_id, e.types, e.disabled_at
				from accounts a join event_endpoints e on e.account_id = coalesce(a.parent_id, a.id)
				where a.id in (${accounts.map(() => '?')})`;
			return queryRows(transaction, sql, accounts);
		},
		/** Writes events, and returns the ids of those written: one with a text `once` that was written before is left out. */
		async insertEvents(rows: readonly EventRow[]): Promise<ReadonlySet<string>> {
			const ids = new Set<string>();
			for (let at = 0; at < rows.length; at += ROWS) {
				const some = rows.slice(at, at + ROWS);
				const values = some.map(() => '(?, ?, ?, ?, ?, ?, ?)');
				const bindings = some.flatMap((row) => [
					...[row.id, row.account_id, row.type, row.about, row.once, row.body, row.created_at],
				]);
				const sql = `insert into events (id, account_id, type, about, once, body, created_at) values ${values}
					on conflict (once) do nothing returning id`;
				for (const { id } of await queryRows<{ id: string }>(transaction, sql, bindings)) ids.add(id);
			}
			return ids;
		},
		async insertDeliveries(rows: readonly NewDelivery[]): Promise<void> {
			const waiting = rows.map((row) => ({ ...row, state: 'waiting' }));
			if (waiting.length > 0) await insertRows(transaction, 'event_deliveries', waiting);
		},
	};
}
