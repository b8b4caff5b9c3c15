import type { Migration } from './migration.ts';

export const disabledTold: Migration = {
	name: '0038-disabled-told.expand',
	async up(knex) {
		// `disabled_reason` as a code with parameters, as JSON, which pages word in the language of their reader.
		await knex.schema.alterTable('event_endpoints', (table) => {
			table.text('told').nullable();
		});
	},
};
