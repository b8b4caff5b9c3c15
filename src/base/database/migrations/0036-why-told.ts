import type { Migration } from './migration.ts';

/** The tables with a reason in English. */
const TABLES = ['route_runs', 'route_run_files', 'route_files', 'event_deliveries'] as const;

export const whyTold: Migration = {
	name: '0036-why-told.expand',
	async up(knex) {
		// The reason as a code with parameters, as JSON, which pages word in the language of their reader.
		for (const name of TABLES) {
			await knex.schema.alterTable(name, (table) => {
				table.text('told').nullable();
			});
		}
	},
};
