import type { Migration } from './migration.ts';

/** These indexes list the newest rows of one kind, however many there are of others. */
export const listIndexes: Migration = {
	name: '0031-list-indexes.expand',
	async up(knex) {
		await knex.schema.alterTable('events', (table) => {
			table.index(['account_id', 'type', 'id'], 'events_by_type');
		});
		await knex.schema.alterTable('route_runs', (table) => {
			table.index(['route_id', 'state', 'id'], 'route_runs_by_state');
		});
		await knex.schema.alterTable('route_files', (table) => {
			table.index(['route_id', 'id'], 'route_files_by_route');
			table.index(['route_id', 'state', 'id'], 'route_files_by_state');
		});
	},
};
