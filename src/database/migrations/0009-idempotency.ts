import type { Migration } from './migration.ts';

export const idempotency: Migration = {
	name: '0009-idempotency',
	async up(knex) {
		await knex.schema.createTable('idempotency_keys', (table) => {
			table.bigInteger('account_id').notNullable();
			// An HMAC of the caller's key, so that nothing of the text a caller chooses is stored.
			table.string('key_hash', 64).notNullable();
			// HMAC of method, path, query and body.
			table.string('request_hash', 64).notNullable();
			// The request that is being answered, and until when no other may be. After that time the claim belongs to a
			// daemon that died.
			table.string('claim', 36).notNullable();
			table.bigInteger('claimed_until').notNullable();
			// The first answer, sealed; absent while it is being made.
			table.integer('key_id').nullable();
			table.binary('sealed').nullable();
			table.bigInteger('expires_at').notNullable();
			table.primary(['account_id', 'key_hash']);
			table.index(['expires_at'], 'idempotency_keys_by_expiry');
		});
	},
};
