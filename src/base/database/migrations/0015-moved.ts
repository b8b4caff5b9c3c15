import type { Migration } from './migration.ts';

export const moved: Migration = {
	name: '0015-moved.expand',
	async up(knex) {
		await knex.schema.alterTable('installation', (table) => {
			// The database to which everything was moved, so that nobody goes on with this one; null while it is in use.
			table.text('moved_to').nullable();
		});
	},
};
