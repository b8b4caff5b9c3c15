import type { Migration } from './migration.ts';

export const keys: Migration = {
	name: '0001-keys',
	async up(knex) {
		// One row stamps the database with what must never differ between daemons that share it.
		await knex.schema.createTable('installation', (table) => {
			table.integer('id').primary();
			table.string('environment').notNullable();
			table.bigInteger('created_at').notNullable();
		});
		await knex.schema.createTable('keys', (table) => {
			table.increments('id');
			table.string('purpose').notNullable();
			// 0 where the key serves the whole installation.
			table.bigInteger('account_id').notNullable();
			table.integer('generation').notNullable();
			// The key that wraps this one; null for the environment key, which the root key wraps.
			table.integer('wrapped_by').nullable();
			table.binary('wrapped').notNullable();
			table.string('state').notNullable();
			table.bigInteger('created_at').notNullable();
			table.unique(['purpose', 'account_id', 'generation']);
		});
		// Page ids come in blocks; a counter row each, so that ids grow in order on every database.
		await knex.schema.createTable('counters', (table) => {
			table.string('name').primary();
			table.bigInteger('next').notNullable();
		});
	},
};
