import type { Migration } from './migration.ts';

export const directory: Migration = {
	name: '0025-directory.expand',
	async up(knex) {
		await knex.schema.createTable('portal_directory', (table) => {
			table.bigInteger('user_id').primary();
			table.bigInteger('account_id').notNullable();
			// How the directory of the account calls the person; null if it has no name for them.
			table.string('external_id', 255).nullable();
			// What else the directory says of the person, as JSON.
			table.text('profile').notNullable();
			// Grows with every change of the row.
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['account_id', 'external_id'], 'portal_directory_by_external_id');
		});
	},
};
