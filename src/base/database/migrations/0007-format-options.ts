import type { Migration } from './migration.ts';

export const formatOptions: Migration = {
	name: '0007-format-options',
	async up(knex) {
		await knex.schema.createTable('format_options', (table) => {
			table.bigInteger('account_id').notNullable();
			// The filter of the options; `*` stands for every filter of the account.
			table.string('filter').notNullable();
			table.text('options').notNullable();
			table.bigInteger('updated_at').notNullable();
			table.primary(['account_id', 'filter']);
		});
	},
};
