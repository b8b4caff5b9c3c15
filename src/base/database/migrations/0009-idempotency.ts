import type { Migration } from './migration.ts';

export const idempotency: Migration = {
	name: '0009-idempotency',
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
			table.primary(['account_id', 'key_hash']);
			table.index(['expires_at'], 'idempotency_keys_by_expiry');
		});
	},
};
