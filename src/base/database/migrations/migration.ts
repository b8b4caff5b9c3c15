import type { Knex } from 'knex';
import type { Dialect } from '../dialect.ts';

/** A step that changes the schema. A released step never changes. The times in all tables are milliseconds since 1970. */
export interface Migration {
	/** The name, such as `0001-keys`: a number and the subject. `index.ts` has the order of the steps. */
	readonly name: string;
	up(knex: Knex, dialect: Dialect): Promise<void>;
}
