import type { Migration } from './migration.ts';

export const foreignTokens: Migration = {
	name: '0028-foreign-tokens.expand',
	async up(knex) {
		await knex.schema.createTable('foreign_tokens', (table) => {
			table.binary('token').notNullable().primary();
			table.bigInteger('page_id').notNullable();
			table.integer('slot').notNullable();
			table.index(['page_id', 'slot'], 'foreign_tokens_by_place');
		});
	},
};
