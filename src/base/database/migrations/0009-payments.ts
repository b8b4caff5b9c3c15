import type { Migration } from './migration.ts';

export const payments: Migration = {
	name: '0009-payments',
	async up(knex) {
		await knex.schema.createTable('gateway_credentials', (table) => {
			table.bigInteger('account_id').notNullable();
			table.string('credentials_id').notNullable();
			table.string('gateway').notNullable();
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('updated_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.primary(['account_id', 'credentials_id']);
		});
		// Holds every gateway operation, written before it is sent. It never contains a card number in clear or a CVV.
		await knex.schema.createTable('gateway_attempts', (table) => {
			table.string('id', 26).primary();
			table.bigInteger('account_id').notNullable();
			// The user who owns the credential: the account itself or a sub-user.
			table.string('user_id').notNullable();
			table.string('operation', 16).notNullable();
			table.string('gateway').notNullable();
			table.string('credentials_id').nullable();
			table.bigInteger('amount_minor').nullable();
			table.string('currency', 3).nullable();
			table.string('my_ref').nullable();
			table.string('token', 32).nullable();
			table.string('masked_number').nullable();
			// The payment that a capture, refund or void refers to.
			table.string('original_reference').nullable();
			// The idempotency key that the provider gets, and an HMAC of the key that the caller gave us.
			table.string('idempotency_key', 36).notNullable();
			table.string('caller_key_hash', 64).nullable();
			table.string('state', 16).notNullable();
			table.string('result', 24).nullable();
			table.string('description').nullable();
			table.string('gateway_reference').nullable();
			table.string('gateway_result_code').nullable();
			table.string('gateway_result_description').nullable();
			table.string('authorization_code').nullable();
			// The credentials with which the attempt was sent. They are sealed, and kept as long as its outcome may have to
			// be queried.
			table.integer('key_id').nullable();
			table.binary('sealed_credentials').nullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('settled_at').nullable();
			// The time to check the attempt next if no answer comes: first at the end of its lease, later at the next status
			// query.
			table.bigInteger('due_at').nullable();
			table.integer('queries').notNullable().defaultTo(0);
			table.unique(['account_id', 'caller_key_hash'], { indexName: 'gateway_attempts_by_caller_key' });
			table.index(['account_id', 'gateway_reference'], 'gateway_attempts_by_reference');
			table.index(['account_id', 'original_reference'], 'gateway_attempts_by_original');
			table.index(['account_id', 'my_ref', 'id'], 'gateway_attempts_by_my_ref');
			table.index(['due_at'], 'gateway_attempts_by_due');
			// Ids begin with the time, so these indexes list the newest rows, either of all states or of one.
			table.index(['account_id', 'id'], 'gateway_attempts_by_account');
			table.index(['account_id', 'state', 'id'], 'gateway_attempts_by_state');
		});
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
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.index(['expires_at'], 'wallet_sessions_by_expiry');
		});
	},
};
