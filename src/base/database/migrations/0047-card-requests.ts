import type { Migration } from './migration.ts';

export const cardRequests: Migration = {
	name: '0047-card-requests',
	async up(knex) {
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
		});
	},
};
