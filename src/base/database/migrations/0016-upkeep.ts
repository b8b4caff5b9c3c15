import type { Migration } from './migration.ts';

export const upkeep: Migration = {
	name: '0016-upkeep.expand',
	async up(knex) {
		// Says when operators last did something that has to be done again and again: `backup` and `backup-check`.
		await knex.schema.createTable('upkeep', (table) => {
			table.string('name', 32).primary();
			table.bigInteger('at').notNullable();
		});
	},
};
