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
		// Each row names a table that got seals in a later migration than 0024, and says that all rows of that table
		// have seals now. A daemon writes it when it first starts after such a migration and has given seals to the
		// rows that had none. From then on, rows of that table without a seal are refused.
		await knex.schema.createTable('sealed_tables', (table) => {
			table.string('name', 64).primary();
			table.bigInteger('adopted_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
		});
	},
};
