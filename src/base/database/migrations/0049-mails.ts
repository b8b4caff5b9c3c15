import type { Migration } from './migration.ts';

export const mails: Migration = {
	name: '0049-mails',
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
	},
};
