import type { Migration } from './migration.ts';

export const portalUsers: Migration = {
	name: '0051-portal-users',
	async up(knex) {
		await knex.schema.createTable('portal_users', (table) => {
			table.bigIncrements('id');
			// Empty for operators, whose name among the operators is in the next column.
			table.bigInteger('account_id').nullable();
			table.string('operator', 32).nullable();
			// What the person types to log in, often an e-mail address; in lower case.
			table.string('name', 254).notNullable().unique();
			table.string('role', 16).notNullable();
			table.string('language', 35).nullable();
			// The hash by argon2id with its parameters; empty until a password was set.
			table.string('password_hash', 255).nullable();
			table.boolean('has_factor').notNullable();
			// Goes up with every change of what the person may do. Sessions of an earlier version have ended.
			table.integer('version').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('blocked_at').nullable();
			// How often a password or a code was tried since when, without success.
			table.integer('password_tries').notNullable();
			table.bigInteger('password_tries_from').notNullable();
			table.integer('code_tries').notNullable();
			table.bigInteger('code_tries_from').notNullable();
			table.bigInteger('last_login_at').nullable();
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
			table.index(['account_id', 'id'], 'portal_users_by_account');
		});
		await knex.schema.createTable('portal_links', (table) => {
			// A SHA-256 hash of the secret in the link.
			table.string('hash', 64).primary();
			table.bigInteger('account_id').nullable();
			table.bigInteger('user_id').notNullable();
			// The version of the user for which the link was made: a later one makes it useless.
			table.integer('user_version').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['user_id'], 'portal_links_by_user');
			table.index(['expires_at'], 'portal_links_by_expiry');
			table.index(['account_id'], 'portal_links_by_account');
		});
	},
};
