import type { Knex } from 'knex';
import type { Dialect } from '../dialect.ts';

/** One step of the schema. Append-only: a step that has shipped never changes. Times are milliseconds since 1970. */
export interface Migration {
	/** `0001-keys`: the number orders, the name says which room. */
	readonly name: string;
	up(knex: Knex, dialect: Dialect): Promise<void>;
}
