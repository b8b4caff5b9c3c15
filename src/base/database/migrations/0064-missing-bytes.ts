import type { Migration } from './migration.ts';

export const missingBytes: Migration = {
	name: '0064-missing-bytes',
	async up(knex) {
		// The client has shown that its file reaches to this offset, but the bytes from `size` on did not arrive. It is null
		// if no such bytes are known.
		await knex.schema.alterTable('drop_files', (table) => table.bigInteger('missing_to').nullable());
	},
};
