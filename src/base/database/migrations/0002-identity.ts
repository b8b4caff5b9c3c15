import type { Migration } from './migration.ts';

export const identity: Migration = {
	name: '0002-identity',
	async up(knex) {
		await knex.schema.createTable('accounts', (table) => {
			table.bigIncrements('id');
			table.string('user_id').notNullable().unique();
			table.string('kind').notNullable();
			// The parent account; null exactly for a primary account.
			table.bigInteger('parent_id').nullable().references('id').inTable('accounts');
			table.boolean('cvv_retention').notNullable();
			// The units that the account may use; null means no limit. Used units are counted in any case.
			table.bigInteger('allowance_limit').nullable();
			table.bigInteger('allowance_used').notNullable();
			table.bigInteger('blocked_at').nullable();
			table.bigInteger('created_at').notNullable();
			table.index(['parent_id'], 'accounts_by_parent');
		});
		await knex.schema.createTable('api_keys', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable().references('id').inTable('accounts');
			// The HMAC by which a login finds the key; the key itself is not stored.
			table.string('hash', 64).notNullable().unique();
			// The credential key with which the HMAC was computed.
			table.integer('key_id').notNullable();
			table.string('hint', 4).notNullable();
			table.text('permissions').notNullable();
			table.bigInteger('created_at').notNullable();
			// The time when the API key stops working, because it was replaced by `api-key rotate` and was to stay valid for
			// a while; null for any other key.
			table.bigInteger('ends_at').nullable();
			table.bigInteger('revoked_at').nullable();
			table.index(['account_id'], 'api_keys_by_account');
		});
		await knex.schema.createTable('session_tokens', (table) => {
			table.string('hash', 64).primary();
			table.bigInteger('account_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.bigInteger('expires_at').notNullable();
			table.index(['expires_at'], 'session_tokens_by_expiry');
		});
		// The primary key makes sure that an access token is used only once, no matter which daemon receives it.
		await knex.schema.createTable('spent_access_tokens', (table) => {
			table.bigInteger('api_key_id').notNullable();
			table.string('guid', 32).notNullable();
			table.bigInteger('expires_at').notNullable();
			table.primary(['api_key_id', 'guid']);
			table.index(['expires_at'], 'spent_access_tokens_by_expiry');
		});
		await knex.schema.createTable('service_certificates', (table) => {
			// The number of the certificate. If several daemons create a certificate at once, only the first one can insert
			// its number, and all daemons use its certificate.
			table.integer('generation').primary();
			table.binary('certificate').notNullable();
			table.integer('key_id').notNullable();
			table.binary('sealed_private_key').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('ends_at').notNullable();
		});
		await knex.schema.createTable('ssh_keys', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable().references('id').inTable('accounts');
			table.string('fingerprint').notNullable();
			table.string('algorithm').notNullable();
			table.binary('blob').notNullable();
			table.text('comment').notNullable();
			table.text('permissions').notNullable();
			table.bigInteger('created_at').notNullable();
			// The same SSH key may log in to several accounts.
			table.unique(['account_id', 'fingerprint']);
		});
	},
};
