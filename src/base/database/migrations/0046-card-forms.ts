import type { Migration } from './migration.ts';

export const cardForms: Migration = {
	name: '0046-card-forms',
	async up(knex) {
		await knex.schema.createTable('card_forms', (table) => {
			// An HMAC of the id by which the web page of the form refers to the form; the id itself is not stored.
			table.string('hash', 64).primary();
			// The user who opened the form, the account that will own the card, and the API key with whose permissions the
			// form works.
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('kind', 8).notNullable();
			// The card request that the form answers; null for a form that a caller opened.
			table.string('request_id', 64).nullable();
			// The fields and the appearance of the form, as JSON.
			table.text('options').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The token of the card that was entered, and the time when it was stored; both are null until then.
			table.string('token', 32).nullable();
			table.bigInteger('stored_at').nullable();
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.index(['expires_at'], 'card_forms_by_expiry');
			table.index(['account_id'], 'card_forms_by_account');
		});
	},
};
