import type { Migration } from './migration.ts';

export const singleSignOn: Migration = {
	name: '0024-single-sign-on.expand',
	async up(knex) {
		await knex.schema.createTable('portal_identities', (table) => {
			// A SHA-256 hash of issuer and subject, which together name a person at a provider.
			table.string('id', 64).primary();
			table.string('issuer', 255).notNullable();
			table.string('subject', 255).notNullable();
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			// The role that a rule has given because of a group; null if the person was invited.
			table.string('given_role', 16).nullable();
			// Grows with every change of the row.
			table.bigInteger('created_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['user_id'], 'portal_identities_by_user');
			table.index(['account_id'], 'portal_identities_by_account');
		});
		await knex.schema.alterTable('portal_sessions', (table) => {
			// The name of the provider by which the person came, and a SHA-256 hash of its issuer and of its name for the
			// session there. They only serve to end sessions, so the seal need not cover them.
			table.string('provider', 32).nullable();
			table.string('provider_session', 64).nullable();
			table.index(['provider_session'], 'portal_sessions_by_provider');
		});
	},
};
