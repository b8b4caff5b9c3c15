import type { Migration } from './migration.ts';

export const crashes: Migration = {
	name: '0063-crashes',
	async up(knex) {
		await knex.schema.alterTable('jobs', (table) => {
			// How many attempts ended because their process or thread died, and in how many of them no other job ran beside.
			table.integer('crashes').notNullable().defaultTo(0);
			table.integer('crashes_alone').notNullable().defaultTo(0);
		});
	},
};
