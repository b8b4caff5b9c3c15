import type { Migration } from './migration.ts';

export const writeChecks: Migration = {
	name: '0021-write-checks',
	async up(knex) {
		// This table has a single row, which is written at every readiness check, because a database that answers may still
		// accept no writes.
		await knex.schema.createTable('write_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('checked_at').notNullable();
		});
		// Before an upload, the stored size of an account is summed from this index alone.
		await knex.schema.alterTable('drop_files', (table) => {
			table.index(['account_id', 'size'], 'drop_files_by_account');
		});
	},
};
