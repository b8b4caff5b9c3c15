import type { Migration } from './migration.ts';

/**
 * When a detokenized file goes that holds CVVs: with the first of their policies to end. And after how many days cards of an
 * account go, and how many have.
 */
export const retention: Migration = {
	name: '0029-retention',
	async up(knex) {
		await knex.schema.alterTable('drop_files', (table) => {
			table.bigInteger('expires_at').nullable();
		});
		// Looked at every minute, while nearly no file has one.
		await knex.raw('create index drop_files_by_expiry on drop_files (expires_at) where expires_at is not null');
		await knex.schema.alterTable('accounts', (table) => {
			// Null: cards stay.
			table.integer('cards_retention_days').nullable();
			table.bigInteger('cards_retired').notNullable().defaultTo(0);
		});
	},
};
