import type { Migration } from './migration.ts';

export const calls: Migration = {
	name: '0007-calls',
	async up(knex) {
		await knex.schema.createTable('idempotency_keys', (table) => {
			table.bigInteger('account_id').notNullable();
			// An HMAC of the caller's idempotency key, so that the text that the caller chose is not stored.
			table.string('key_hash', 64).notNullable();
			// An HMAC of method, path, query and body.
			table.string('request_hash', 64).notNullable();
			// The id of the call that is being answered, and the time until which no other call with the key may be
			// answered. After that time the claim is left over from a daemon that died.
			table.string('claim', 36).notNullable();
			table.bigInteger('claimed_until').notNullable();
			// The key that seals the first answer, and the sealed answer; null until the call is answered.
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.bigInteger('expires_at').notNullable();
			// The kind: token, earlier-token, job, stream, batch, request or sent; null until the call has created or sent
			// anything.
			table.string('outcome_kind', 16).nullable();
			// The id of the token, job, pass or request; null for the kind `sent`.
			table.string('outcome_id', 64).nullable();
			table.primary(['account_id', 'key_hash']);
			table.index(['expires_at'], 'idempotency_keys_by_expiry');
		});
		// Holds the latest HTTP calls of each account. A row holds all calls that one daemon answered within a moment, as
		// JSON, oldest first, because one row for each call would cost as much as the call.
		await knex.schema.createTable('call_log', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable();
			// The time when the last of the calls in the row was answered.
			table.bigInteger('at').notNullable();
			// The number of calls that the row holds.
			table.integer('calls').notNullable();
			table.text('document').notNullable();
			table.index(['account_id', 'id'], 'call_log_by_account');
		});
	},
};
