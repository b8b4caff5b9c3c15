import type { Migration } from './migration.ts';

export const mailCounts: Migration = {
	name: '0066-mail-counts',
	async up(knex) {
		await knex.schema.createTable('mail_counts', (table) => {
			// What is counted: the mails of an account, those to a mailbox, or those of an account to a mailbox. A mailbox is
			// named by a keyed hash of its address.
			table.string('name', 128).primary();
			// The account whose mails are counted; null for those to a mailbox.
			table.bigInteger('account_id').nullable();
			// The time of the first mail of this count. The count begins anew when it is too long ago.
			table.bigInteger('since').notNullable();
			table.integer('count').notNullable();
			table.index(['account_id'], 'mail_counts_by_account');
			table.index(['since'], 'mail_counts_by_time');
		});
	},
};
