import type { Migration } from './migration.ts';

export const wallet: Migration = {
	name: '0013-wallet',
	async up(knex) {
		await knex.schema.createTable('wallet_sessions', (table) => {
			table.string('id', 26).primary();
			// HMAC of the session token: the only way in is one look into this index.
			table.string('hash', 64).notNullable().unique();
			// Who made it, whose cards and payments are at stake, and the API key it acts for.
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
			// A user ID, looked up again when the card is stored.
			table.string('merchant_id').nullable();
			table.boolean('save_cvv').nullable();
			// Names, comma separated; null for all of them.
			table.string('card_types').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			// Payments begun, and the transaction of the last of them once it is known.
			table.integer('attempts').notNullable();
			table.string('transaction_id', 26).nullable();
			// Who is at it, and until when nobody else may be: past it, the claim of a daemon that died.
			table.string('claim', 36).nullable();
			table.bigInteger('claimed_until').nullable();
			// What came of it, sealed.
			table.bigInteger('completed_at').nullable();
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.index(['expires_at'], 'wallet_sessions_by_expiry');
		});
	},
};
