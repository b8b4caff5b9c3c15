import type { Migration } from './migration.ts';

export const cardholders: Migration = {
	name: '0011-cardholders',
	async up(knex, dialect) {
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
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.index(['expires_at'], 'card_forms_by_expiry');
			table.index(['account_id'], 'card_forms_by_account');
		});
		// `hash` is the hash of the form, as in `card_forms`; `token` is the token that the form has stored, and
		// `stored_at` the time when it did. On SQLite the rows are stored in the tree of the primary key, so that a
		// submission changes one page of the file and not two.
		await knex.raw(`create table form_results (
			hash varchar(64) not null primary key, token varchar(32) not null, stored_at bigint not null
		)${dialect === 'sqlite' ? ' without rowid' : ''}`);
		await knex.schema.createTable('form_styles', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('name', 64).notNullable();
			// The style sheet as the operator entered it; unsafe parts are removed whenever a page is written.
			table.text('css').notNullable();
			table.bigInteger('changed_at').notNullable();
			table.primary(['account_id', 'name']);
		});
		await knex.schema.createTable('card_requests', (table) => {
			table.string('id', 26).primary();
			// An HMAC of the secret in the cardholder's link.
			table.string('hash', 64).notNullable().unique();
			// The user who created the request, the account that will own the card, and the API key that was used.
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('sender_id').notNullable();
			// The kind of the request: `card` asks for a card, which gets `result_token`; `cvv` asks for the CVV of the card
			// with `card_token`.
			table.string('kind', 8).notNullable();
			table.string('reference').notNullable();
			table.string('card_token', 32).nullable();
			table.string('result_token', 32).nullable();
			table.boolean('require_cvv').nullable();
			table.string('card_types').nullable();
			table.string('language', 35).nullable();
			table.string('state', 16).notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The time when the request was completed, cancelled or found expired; null while it waits for the cardholder.
			table.bigInteger('ended_at').nullable();
			table.bigInteger('reminded_at').nullable();
			// The link and the cardholder's data, sealed.
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['ended_at', 'expires_at'], 'card_requests_by_end');
			table.index(['account_id'], 'card_requests_by_account');
			table.index(['owner_id', 'id'], 'card_requests_by_owner');
			table.index(['owner_id', 'state', 'id'], 'card_requests_by_state');
		});
		await knex.schema.createTable('card_views', (table) => {
			table.string('id', 26).primary();
			// An HMAC of the secret in the URL of the page.
			table.string('hash', 64).notNullable().unique();
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('card_token', 32).notNullable();
			// The kind of the view: `display` for a page that the account opens for itself, `once` for a link that works
			// once.
			table.string('kind', 8).notNullable();
			table.boolean('shows_cvv').notNullable();
			table.string('language', 35).nullable();
			// An HMAC of the code that must be entered after opening a link, and the number of attempts to enter it.
			table.string('code_hash', 64).nullable();
			table.integer('tries').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The time when a link was used or had too many attempts; null until then.
			table.bigInteger('ended_at').nullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['expires_at'], 'card_views_by_expiry');
			table.index(['account_id'], 'card_views_by_account');
		});
	},
};
