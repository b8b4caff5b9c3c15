import type { Migration } from './migration.ts';

export const cardForms: Migration = {
	name: '0046-card-forms',
	async up(knex) {
		await knex.schema.createTable('card_forms', (table) => {
			// An HMAC of the id that the page has; the id itself is not stored.
			table.string('hash', 64).primary();
			// The user who opened the form, the account whose card it stores, and the API key it acts for.
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('kind', 8).notNullable();
			// The card request that the form answers; null for a form that a caller opened.
			table.string('request_id', 64).nullable();
			// What the form asks for and how it looks, as JSON.
			table.text('options').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The token that the form has stored, and when; null until then.
			table.string('token', 32).nullable();
			table.bigInteger('stored_at').nullable();
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.index(['expires_at'], 'card_forms_by_expiry');
			table.index(['account_id'], 'card_forms_by_account');
		});
	},
};
