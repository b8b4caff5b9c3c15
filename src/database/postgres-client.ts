import Postgres from 'knex/lib/dialects/postgres/index.js';
import { PlainRaw } from './plain-raw.ts';

/**
 * The SQL texts with numbered bindings (`$1`), by the texts with question marks. The code has few different statements,
 * except those with lists of varying length.
 */
const numbered = new Map<string, string>();
const MOST_NUMBERED = 1_000;

/** knex's client for PostgreSQL, changed so that short statements take less time before they reach the driver. */
export class PostgresClient extends Postgres {
	override raw(sql: string, bindings?: unknown) {
		return new PlainRaw(this).set(sql, bindings);
	}

	override positionBindings(sql: string): string {
		let text = numbered.get(sql);
		if (text !== undefined) return text;
		text = super.positionBindings(sql);
		if (numbered.size === MOST_NUMBERED) numbered.clear();
		numbered.set(sql, text);
		return text;
	}
}
