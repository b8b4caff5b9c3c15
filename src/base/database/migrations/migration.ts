import type { Knex } from 'knex';
import type { Dialect } from '../dialect.ts';

/** A step that changes the schema. A released step never changes. The times in all tables are milliseconds since 1970. */
export interface Migration {
	/**
	 * The name, such as `0014-daemons.expand`: a number, the subject, and what it means for daemons of an earlier version
	 * (`kindOf` in `schema.ts`). `index.ts` has the order of the steps.
	 */
	readonly name: string;
	up(knex: Knex, dialect: Dialect): Promise<void>;
}
