import type { Migration } from './migration.ts';

export const keys: Migration = {
	name: '0001-keys',
	async up(knex) {
		// This table has a single row with the facts that must be the same for all daemons that share the database.
		await knex.schema.createTable('installation', (table) => {
			table.integer('id').primary();
			table.string('environment').notNullable();
			table.bigInteger('created_at').notNullable();
		});
		await knex.schema.createTable('keys', (table) => {
			table.increments('id');
			table.string('purpose').notNullable();
			// The account that the key belongs to; 0 if the key serves the whole installation.
			table.bigInteger('account_id').notNullable();
			table.integer('generation').notNullable();
			// The key that wraps this one; null for the environment key, which the root key wraps.
			table.integer('wrapped_by').nullable();
			table.binary('wrapped').notNullable();
			table.string('state').notNullable();
			table.bigInteger('created_at').notNullable();
			// For a bridge (an environment key sealed by the one before it), the time when a process that has the former
			// master key last needed it. Null for every other key.
			table.bigInteger('needed_at').nullable();
			// The number of values that processes may have sealed under the key, reserved in blocks in advance.
			table.bigInteger('seals').notNullable().defaultTo(0);
			// The time when the next generation was created; null for a key that still seals.
			table.bigInteger('superseded_at').nullable();
			table.unique(['purpose', 'account_id', 'generation']);
		});
		// Says of sealed rows that were changed or removed which versions of them are invalid, so that an older copy that
		// somebody puts back does not work.
		await knex.schema.createTable('ended_rows', (table) => {
			// The table of the row, and its primary key or a hash of it.
			table.string('name', 64).notNullable();
			table.string('row_id', 64).notNullable();
			// Versions with a lower generation are invalid.
			table.bigInteger('generation').notNullable();
			// The time after which the row is invalid anyway; null if there is none.
			table.bigInteger('needed_until').nullable();
			table.bigInteger('at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.primary(['name', 'row_id']);
			table.index(['at'], 'ended_rows_by_time');
			table.index(['needed_until'], 'ended_rows_by_need');
		});
		// This table has a single row, which is written at every readiness check, because a database that answers may still
		// accept no writes.
		await knex.schema.createTable('write_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('checked_at').notNullable();
		});
	},
};
