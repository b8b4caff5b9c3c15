import Postgres from 'knex/lib/dialects/postgres/index.js';
import { PlainRaw } from './plain-raw.ts';

/**
 * Maps SQL texts with question marks to the same texts with numbered bindings (`$1`), so that knex converts each text
 * only once. The code has few different statements, except those with lists of varying length, so the map is simply
 * emptied when it is full.
 */
const numbered = new Map<string, string>();
const MOST_NUMBERED = 1_000;

/**
 * knex's client for PostgreSQL, changed so that knex needs less time to prepare a short statement before the driver
 * sends it.
 */
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
