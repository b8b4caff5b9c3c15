import type { Migration } from './migration.ts';

export const relayProfiles: Migration = {
	name: '0010-relay-profiles',
	async up(knex) {
		await knex.schema.createTable('relay_profiles', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			// Counts how often the profile was saved, from 1.
			table.integer('version').notNullable();
			// The profile as JSON, with stars in place of secrets.
			table.text('document').notNullable();
			// The key that seals the secrets, and the sealed secrets; null if a profile has none.
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			table.primary(['account_id', 'name']);
		});
	},
};
