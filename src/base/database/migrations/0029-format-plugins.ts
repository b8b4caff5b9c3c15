import type { Migration } from './migration.ts';

export const formatPlugins: Migration = {
	name: '0029-format-plugins.expand',
	async up(knex) {
		await knex.schema.createTable('format_plugins', (table) => {
			table.string('filter', 16).primary();
			// The program, and its SHA-256, which the seal covers.
			table.text('source').notNullable();
			table.string('sha256', 64).notNullable();
			// What the plugin says of itself, as JSON. It was asked when the plugin was allowed.
			table.text('manifest').notNullable();
			table.string('allowed_by').notNullable();
			// The time at which it was allowed, which grows with every change of the row.
			table.bigInteger('allowed_at').notNullable();
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
		});
	},
};
