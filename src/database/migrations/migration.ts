import type { Knex } from 'knex';
import type { Dialect } from '../dialect.ts';

/** One step of the schema. A step that was released never changes. Times are milliseconds since 1970. */
export interface Migration {
	/** The name, such as `0001-keys`: the number gives the order, the rest names the subject. */
	readonly name: string;
	up(knex: Knex, dialect: Dialect): Promise<void>;
}
