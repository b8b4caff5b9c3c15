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
			table.unique(['purpose', 'account_id', 'generation']);
		});
		// Counters, such as the one from which page ids are reserved. Each is a row and not a sequence of the database, so
		// that ids grow in order on SQLite and PostgreSQL alike.
		await knex.schema.createTable('counters', (table) => {
			table.string('name').primary();
			table.bigInteger('next').notNullable();
		});
	},
};
