import type { Migration } from './migration.ts';

export const wallet: Migration = {
	name: '0013-wallet',
	async up(knex) {
		await knex.schema.createTable('wallet_sessions', (table) => {
			table.string('id', 26).primary();
			// An HMAC of the session token; the token itself is not stored.
			table.string('hash', 64).notNullable().unique();
			// The user who created the session, the account whose cards and payments it concerns, and the API key with whose
			// permissions it works.
			table.bigInteger('account_id').notNullable();
			table.bigInteger('owner_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.string('operation', 24).notNullable();
			table.bigInteger('amount_minor').nullable();
			table.string('currency', 3).nullable();
			table.string('gateway').nullable();
			table.string('credentials_id').nullable();
			table.string('my_ref').nullable();
			table.string('reference').nullable();
			// The user ID of the merchant, which is looked up again when the card is stored.
			table.string('merchant_id').nullable();
			table.boolean('save_cvv').nullable();
			// The names of allowed card types, separated by commas; null for all types.
			table.string('card_types').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The number of payments that were begun, and the transaction of the last of them once it is known.
			table.integer('attempts').notNullable();
			table.string('transaction_id', 26).nullable();
			// The call that is working on the session, and the time until which no other call may work on it. After that
			// time the claim is left over from a daemon that died.
			table.string('claim', 36).nullable();
			table.bigInteger('claimed_until').nullable();
			// The time of the result, and the sealed result.
			table.bigInteger('completed_at').nullable();
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.index(['expires_at'], 'wallet_sessions_by_expiry');
		});
	},
};
