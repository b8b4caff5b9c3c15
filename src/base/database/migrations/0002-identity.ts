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
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			// Cards are removed after this many days; null means that they are kept.
			table.integer('cards_retention_days').nullable();
			table.bigInteger('cards_retired').notNullable().defaultTo(0);
			// The time when the account was disabled, so that none of its credentials works; null for an active account.
			table.bigInteger('disabled_at').nullable();
			// The number of used units that are already included in the statistics.
			table.bigInteger('allowance_counted').notNullable().defaultTo(0);
			// Increases with every change of the row.
			table.bigInteger('generation').notNullable().defaultTo(0);
			table.index(['parent_id'], 'accounts_by_parent');
		});
		// Stores requested deletions. A row is kept for good: it records that the user ID was used, and what was removed
		// with it.
		await knex.schema.createTable('account_deletions', (table) => {
			table.bigInteger('account_id').primary();
			table.string('asked_by').notNullable();
			table.bigInteger('asked_at').notNullable();
			// Until this time the deletion can be cancelled.
			table.bigInteger('not_before').notNullable();
			table.bigInteger('begun_at').nullable();
			table.bigInteger('finished_at').nullable();
			// The numbers of removed items so far, as JSON.
			table.text('removed').nullable();
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
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			// Increases when the key is ended or revoked, so that an older copy of the row is recognised.
			table.bigInteger('version').notNullable().defaultTo(0);
			table.bigInteger('valid_until').nullable();
			// The allowed address ranges, separated by commas; null means any address.
			table.text('from_ranges').nullable();
			table.bigInteger('last_used_at').nullable();
			table.index(['account_id'], 'api_keys_by_account');
		});
		await knex.schema.createTable('session_tokens', (table) => {
			table.string('hash', 64).primary();
			table.bigInteger('account_id').notNullable();
			table.bigInteger('api_key_id').notNullable();
			table.bigInteger('expires_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
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
		await knex.schema.createTable('ssh_keys', (table) => {
			table.bigIncrements('id');
			table.bigInteger('account_id').notNullable().references('id').inTable('accounts');
			table.string('fingerprint').notNullable();
			table.string('algorithm').notNullable();
			table.binary('blob').notNullable();
			table.text('comment').notNullable();
			table.text('permissions').notNullable();
			table.bigInteger('created_at').notNullable();
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.text('from_ranges').nullable();
			// Increases with every change of the row.
			table.bigInteger('generation').notNullable().defaultTo(0);
			// The same SSH key may log in to several accounts.
			table.unique(['account_id', 'fingerprint']);
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
		// Lists the origins whose pages may embed the hosted pages of an account and make API calls for it from a browser.
		await knex.schema.createTable('origins', (table) => {
			table.bigInteger('account_id').notNullable();
			// The origin in the form that browsers send: `https://shop.example` or `https://shop.example:8443`.
			table.string('origin', 300).notNullable();
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key');
			table.binary('seal');
			table.primary(['account_id', 'origin']);
			table.index(['origin']);
		});
	},
};
