import type { Migration } from './migration.ts';

export const writeChecks: Migration = {
	name: '0021-write-checks',
	async up(knex) {
		// One row, written anew for every look at readiness: a database that answers may still take nothing.
		await knex.schema.createTable('write_checks', (table) => {
			table.integer('id').primary();
			table.bigInteger('checked_at').notNullable();
		});
		// What an account has stored is summed up before an upload, from this index alone.
		await knex.schema.alterTable('drop_files', (table) => {
			table.index(['account_id', 'size'], 'drop_files_by_account');
		});
	},
};
