import type { Migration } from './migration.ts';

export const callLog: Migration = {
	name: '0035-call-log',
	async up(knex) {
		// Holds the latest HTTP calls of each account. A row holds all calls that one daemon answered within a moment, as
		// JSON, oldest first, because one row for each call would cost as much as the call.
		await knex.schema.createTable('call_log', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable();
			// The time when the last of the calls in the row was answered.
			table.bigInteger('at').notNullable();
			// The number of calls that the row holds.
			table.integer('calls').notNullable();
			table.text('document').notNullable();
			table.index(['account_id', 'id'], 'call_log_by_account');
		});
	},
};
