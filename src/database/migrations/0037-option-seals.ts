import type { Migration } from './migration.ts';

export const optionSeals: Migration = {
	name: '0037-option-seals',
	async up(knex) {
		for (const name of ['format_options', 'jobs']) {
			await knex.schema.alterTable(name, (table) => {
				// A MAC over what the row grants, and the key it was made under. Rows from before this have none until the first
				// start that has the keys; from then on a row without one is refused.
				table.integer('seal_key').nullable();
				table.binary('seal').nullable();
			});
		}
		// Which tables got their seals after the first ones did: rows of those are not taken as they are a second time.
		await knex.schema.createTable('sealed_tables', (table) => {
			table.string('name', 64).primary();
			table.bigInteger('adopted_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
		});
	},
};
