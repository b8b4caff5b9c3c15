import type { Migration } from './migration.ts';

export const smallBlobs: Migration = {
	name: '0044-small-blobs',
	async up(knex) {
		await knex.schema.createTable('small_blobs', (table) => {
			table.string('id', 26).primary();
			table.binary('bytes').notNullable();
			table.bigInteger('modified_at').notNullable();
		});
	},
};
