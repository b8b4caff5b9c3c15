import type { Migration } from './migration.ts';

export const optionSeals: Migration = {
	name: '0037-option-seals',
	async up(knex) {
		for (const name of ['format_options', 'jobs']) {
			await knex.schema.alterTable(name, (table) => {
				// The seal, a MAC over the columns that grant something, and the key under which it was computed. Rows that
				// are older than this migration have no seal until a daemon first starts after it; from then on, a row
				// without a seal is refused.
				table.integer('seal_key').nullable();
				table.binary('seal').nullable();
			});
		}
		// Records the tables that got their seals after those of migration 0024, so that their unsealed rows are accepted
		// only once.
		await knex.schema.createTable('sealed_tables', (table) => {
			table.string('name', 64).primary();
			table.bigInteger('adopted_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
		});
	},
};
