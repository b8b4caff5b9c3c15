import type { Migration } from './migration.ts';

export const pgpKeys: Migration = {
	name: '0021-pgp-keys.expand',
	async up(knex) {
		await knex.schema.createTable('pgp_keys', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			// own or partner
			table.string('kind', 8).notNullable();
			table.string('fingerprint', 64).notNullable();
			// The public part, armored.
			table.text('public_key').notNullable();
			table.bigInteger('revoked_at').nullable();
			// The secret part, sealed, and the key under which it is; null for a key of a partner, and once it is revoked.
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'name']);
		});
	},
};
