import type { Migration } from './migration.ts';

export const listsByState: Migration = {
	name: '0058-lists-by-state',
	async up(knex) {
		// Ids begin with the time, so these indexes list the newest rows, either of all states or of one.
		await knex.schema.alterTable('gateway_attempts', (table) => {
			table.index(['account_id', 'id'], 'gateway_attempts_by_account');
			table.index(['account_id', 'state', 'id'], 'gateway_attempts_by_state');
		});
		await knex.schema.alterTable('card_requests', (table) => {
			table.index(['owner_id', 'id'], 'card_requests_by_owner');
			table.index(['owner_id', 'state', 'id'], 'card_requests_by_state');
		});
	},
};
