import type { Migration } from './migration.ts';

export const accountEnds: Migration = {
	name: '0034-account-ends',
	async up(knex) {
		await knex.schema.alterTable('accounts', (table) => {
			// No credential of it works; null for one that is in use.
			table.bigInteger('disabled_at').nullable();
		});
		// Deletions that were asked for. A row stays: it says that the user ID was somebody's, and what went with it.
		await knex.schema.createTable('account_deletions', (table) => {
			table.bigInteger('account_id').primary();
			table.string('asked_by').notNullable();
			table.bigInteger('asked_at').notNullable();
			// Until then it can be taken back.
			table.bigInteger('not_before').notNullable();
			table.bigInteger('begun_at').nullable();
			table.bigInteger('finished_at').nullable();
			// What went so far; JSON.
			table.text('removed').nullable();
		});
	},
};
