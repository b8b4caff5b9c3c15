import type { Migration } from './migration.ts';

export const accountEnds: Migration = {
	name: '0034-account-ends',
	async up(knex) {
		await knex.schema.alterTable('accounts', (table) => {
			// The time when the account was disabled, so that none of its credentials works; null for an active account.
			table.bigInteger('disabled_at').nullable();
		});
		// Stores requested deletions. A row is kept for good: it records that the user ID was used, and what was removed
		// with it.
		await knex.schema.createTable('account_deletions', (table) => {
			table.bigInteger('account_id').primary();
			table.string('asked_by').notNullable();
			table.bigInteger('asked_at').notNullable();
			// Until this time the deletion can be cancelled.
			table.bigInteger('not_before').notNullable();
			table.bigInteger('begun_at').nullable();
			table.bigInteger('finished_at').nullable();
			// The numbers of removed items so far, as JSON.
			table.text('removed').nullable();
		});
	},
};
