import type { Migration } from './migration.ts';

export const relay: Migration = {
	name: '0008-relay',
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
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'name']);
		});
		await knex.schema.createTable('destinations', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			table.string('host', 253).notNullable();
			table.integer('port').notNullable();
			table.string('user_name', 255).notNullable();
			// The folder at the partner; empty means the folder in which the login begins.
			table.text('folder').notNullable();
			// The fingerprints of host keys, separated by blanks; empty while none is known.
			table.text('host_keys').notNullable();
			// The password, private key and passphrase, sealed.
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'name']);
		});
	},
};
