import type { Migration } from './migration.ts';

export const origins: Migration = {
	name: '0045-origins',
	async up(knex) {
		// Lists the origins whose pages may embed the hosted pages of an account and make API calls for it from a browser.
		await knex.schema.createTable('origins', (table) => {
			table.bigInteger('account_id').notNullable();
			// The origin in the form that browsers send: `https://shop.example` or `https://shop.example:8443`.
			table.string('origin', 300).notNullable();
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key');
			table.binary('seal');
			table.primary(['account_id', 'origin']);
			table.index(['origin']);
		});
	},
};
