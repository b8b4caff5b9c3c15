import type { Migration } from './migration.ts';

export const pageKinds: Migration = {
	name: '0008-page-kinds',
	async up(knex) {
		await knex.schema.alterTable('pages', (table) => {
			// The kind of the page: 0 for cards and network tokens, 1 for data blocks. Each kind is listed without opening
			// pages of the other.
			table.smallint('kind').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('pages', (table) => {
			table.dropIndex(['account_id', 'id', 'live'], 'pages_by_account');
			// The index includes `live`, the number of records of a page that were not deleted. So finding a position in a
			// list of ten million tokens reads only the index.
			table.index(['account_id', 'kind', 'id', 'live'], 'pages_by_account_and_kind');
		});
	},
};
