import type { Migration } from './migration.ts';

export const pagesByTime: Migration = {
	name: '0057-pages-by-time',
	async up(knex) {
		await knex.schema.alterTable('pages', (table) => {
			// The index includes `creator_id`, so that the cards of one user are found without reading pages of others.
			table.index(['account_id', 'kind', 'created_at', 'id', 'creator_id'], 'pages_by_time');
		});
	},
};
