import type { Migration } from './migration.ts';

export const pageKinds: Migration = {
	name: '0008-page-kinds',
	async up(knex) {
		await knex.schema.alterTable('pages', (table) => {
			// What a page holds: 0 cards and network tokens, 1 data blocks. Each is listed without opening the other.
			table.smallint('kind').notNullable().defaultTo(0);
		});
		await knex.schema.alterTable('pages', (table) => {
			table.dropIndex(['account_id', 'id', 'live'], 'pages_by_account');
			// `live` rides along so that paging through ten million tokens adds up index entries alone.
			table.index(['account_id', 'kind', 'id', 'live'], 'pages_by_account_and_kind');
		});
	},
};
