import type { Migration } from './migration.ts';

export const otherNumbers: Migration = {
	name: '0018-other-numbers',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			// Counts numbers that look like cards outside the card fields. For jobs before this migration the count is
			// unknown.
			table.bigInteger('other_numbers').notNullable().defaultTo(0);
		});
	},
};
