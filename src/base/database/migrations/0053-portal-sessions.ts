import type { Migration } from './migration.ts';

export const portalSessions: Migration = {
	name: '0053-portal-sessions',
	async up(knex) {
		await knex.schema.createTable('portal_sessions', (table) => {
			table.string('id', 26).primary();
			// A SHA-256 hash of the cookie.
			table.string('hash', 64).notNullable().unique();
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			table.integer('user_version').notNullable();
			// The kind of the session: `password` until the second factor is given, then `open`.
			table.string('kind', 8).notNullable();
			table.boolean('has_second_factor').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('ends_at').notNullable();
			table.bigInteger('seen_at').notNullable();
			table.string('address', 64).notNullable();
			table.string('agent', 255).notNullable();
			// The challenge that a passkey has to sign next, and the time until which it may do so.
			table.string('challenge', 128).nullable();
			table.bigInteger('challenge_ends_at').nullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['user_id'], 'portal_sessions_by_user');
			table.index(['ends_at'], 'portal_sessions_by_end');
			table.index(['account_id'], 'portal_sessions_by_account');
		});
	},
};
