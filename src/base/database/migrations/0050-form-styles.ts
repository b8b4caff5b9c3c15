import type { Migration } from './migration.ts';

export const formStyles: Migration = {
	name: '0050-form-styles',
	async up(knex) {
		await knex.schema.createTable('form_styles', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			// The style sheet as the operator entered it; unsafe parts are removed whenever a page is written.
			table.text('css').notNullable();
			table.bigInteger('changed_at').notNullable();
			table.primary(['account_id', 'name']);
		});
	},
};
