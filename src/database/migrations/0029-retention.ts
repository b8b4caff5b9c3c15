import type { Migration } from './migration.ts';

/**
 * Records when a detokenized file that contains CVVs is removed (when the first of their policies ends), after how many
 * days the cards of an account are removed, and how many were.
 */
export const retention: Migration = {
	name: '0029-retention',
	async up(knex) {
		await knex.schema.alterTable('drop_files', (table) => {
			table.bigInteger('expires_at').nullable();
		});
		// This index is read every minute; it is small, because few files have an expiry.
		await knex.raw('create index drop_files_by_expiry on drop_files (expires_at) where expires_at is not null');
		await knex.schema.alterTable('accounts', (table) => {
			// Cards are removed after this many days; null means that they are kept.
			table.integer('cards_retention_days').nullable();
			table.bigInteger('cards_retired').notNullable().defaultTo(0);
		});
	},
};
