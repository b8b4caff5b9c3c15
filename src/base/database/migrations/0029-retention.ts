import type { Migration } from './migration.ts';

/**
 * Adds the time when a detokenized file that contains CVVs is removed (when the first of their policies ends), the number
 * of days after which the cards of an account are removed, and the number of cards removed so far.
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
