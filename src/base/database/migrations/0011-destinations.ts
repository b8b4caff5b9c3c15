import type { Migration } from './migration.ts';

export const destinations: Migration = {
	name: '0011-destinations',
	async up(knex) {
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
			table.primary(['account_id', 'name']);
		});
	},
};
