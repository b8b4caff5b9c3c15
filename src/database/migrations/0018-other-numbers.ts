import type { Migration } from './migration.ts';

export const otherNumbers: Migration = {
	name: '0018-other-numbers',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			// Numbers that look like cards outside the places for them: of jobs before this, nobody knows them here.
			table.bigInteger('other_numbers').notNullable().defaultTo(0);
		});
	},
};
