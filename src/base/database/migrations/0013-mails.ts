import type { Migration } from './migration.ts';

export const mails: Migration = {
	name: '0013-mails',
	async up(knex) {
		await knex.schema.createTable('mails', (table) => {
			table.string('id', 26).primary();
			table.bigInteger('account_id').notNullable();
			// The object that the mail is about, such as `card-request 01j…`.
			table.string('about', 64).notNullable();
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('give_up_at').notNullable();
			table.integer('attempts').notNullable();
			table.bigInteger('next_at').notNullable();
			// The attempt to send the mail that has claimed it, and the time after which another attempt may claim it.
			table.string('claim', 36).nullable();
			table.bigInteger('claimed_until').nullable();
			table.index(['next_at'], 'mails_by_next');
			table.index(['account_id'], 'mails_by_account');
			table.index(['about'], 'mails_by_subject');
		});
		await knex.schema.createTable('mail_styles', (table) => {
			table.bigInteger('account_id').primary();
			table.string('from_name').nullable();
			table.string('from_address').nullable();
			table.string('reply_to').nullable();
			table.text('logo_url').nullable();
			table.string('colour', 7).nullable();
			table.bigInteger('updated_at').notNullable();
		});
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
