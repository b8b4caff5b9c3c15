import type { Migration } from './migration.ts';

export const portalFactors: Migration = {
	name: '0052-portal-factors',
	async up(knex) {
		await knex.schema.createTable('portal_totp', (table) => {
			table.bigInteger('user_id').primary();
			table.bigInteger('account_id').nullable();
			// The secret shared with the authenticator app, sealed.
			table.integer('key_id').notNullable();
			table.binary('sealed').notNullable();
			// The time when the user first entered a correct code; null until then.
			table.bigInteger('confirmed_at').nullable();
			// The 30-second time step of the last code that was used. Codes of this step or earlier ones are not accepted
			// again.
			table.bigInteger('last_step').notNullable();
			table.bigInteger('created_at').notNullable();
			table.index(['account_id'], 'portal_totp_by_account');
		});
		await knex.schema.createTable('portal_passkeys', (table) => {
			table.bigIncrements('id');
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			table.string('credential_id', 1400).notNullable().unique();
			table.binary('public_key').notNullable();
			table.string('label', 64).notNullable();
			table.string('transports', 128).notNullable();
			// The signature counter that the authenticator reported last.
			table.bigInteger('counter').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('used_at').nullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['user_id'], 'portal_passkeys_by_user');
			table.index(['account_id'], 'portal_passkeys_by_account');
		});
		await knex.schema.createTable('portal_recovery_codes', (table) => {
			table.bigInteger('user_id').notNullable();
			// A SHA-256 hash of the code together with the id of its user. The row is removed when the code is used.
			table.string('hash', 64).notNullable();
			table.bigInteger('account_id').nullable();
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.primary(['user_id', 'hash']);
			table.index(['account_id'], 'portal_recovery_codes_by_account');
		});
	},
};
