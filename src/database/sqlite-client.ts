import type { Knex } from 'knex';
import BetterSqlite3 from 'knex/lib/dialects/better-sqlite3/index.js';
import type { WalSync } from './wal-sync.ts';

/** The query context of statements that need not survive a power failure by themselves: `.queryContext(UNSYNCED)`. */
export const UNSYNCED = { isUnsynced: true } as const;

/** The part of better-sqlite3's connection that is used here. */
interface Connection {
	readonly inTransaction: boolean;
	prepare(sql: string): { readonly readonly: boolean };
}

interface Query {
	sql: string;
	readonly queryContext?: Partial<typeof UNSYNCED>;
}

/** knex's client for SQLite, in which a statement that writes by itself is durable when it resolves. */
export class SqliteClient extends BetterSqlite3 {
	override async _query(connection: Connection, query: Query): Promise<Query> {
		// Every transaction of ours writes. Without its lock from the start, of two writers that both read first one gets
		// `SQLITE_BUSY`, whatever the busy timeout is.
		if (query.sql === 'BEGIN;') query.sql = 'BEGIN IMMEDIATE;';
		const answered = await super._query(connection, query);
		// Transactions are synced by whoever began them, without the connection, which others can use meanwhile.
		const isDone = connection.inTransaction || connection.prepare(query.sql).readonly;
		if (!isDone && query.queryContext?.isUnsynced !== true) await walSyncOf(this)?.sync();
		return answered;
	}
}

/** Returns what makes commits durable; undefined on PostgreSQL, which does that itself, and for a database in memory. */
export function walSyncOf(client: Knex['client']): WalSync | undefined {
	return (client.config as { walSync?: WalSync }).walSync;
}
