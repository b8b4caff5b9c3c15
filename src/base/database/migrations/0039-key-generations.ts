import type { Migration } from './migration.ts';

export const keyGenerations: Migration = {
	name: '0039-key-generations',
	async up(knex) {
		// Adds the generations of the keys on which tokens and fingerprints depend. No such key was rotated before, so all
		// existing rows are of the first generation.
		await knex.schema.alterTable('pages', (table) => {
			table.smallint('token_generation').notNullable().defaultTo(1);
		});
		await knex.schema.alterTable('fingerprints', (table) => {
			table.smallint('generation').notNullable().defaultTo(1);
		});
	},
};
