import type { Migration } from './migration.ts';

export const portalUsers: Migration = {
	name: '0051-portal-users',
	async up(knex) {
		await knex.schema.createTable('portal_users', (table) => {
			table.bigIncrements('id');
			// The account of the user; null for an operator, whose name as an operator is in the next column.
			table.bigInteger('account_id').nullable();
			table.string('operator', 32).nullable();
			// The name that the person enters to log in, often an e-mail address; in lower case.
			table.string('name', 254).notNullable().unique();
			table.string('role', 16).notNullable();
			table.string('language', 35).nullable();
			// The argon2id hash of the password with its parameters; null until a password was set.
			table.string('password_hash', 255).nullable();
			table.boolean('has_factor').notNullable();
			// Increases with every change of what the person may do. Sessions of an earlier version are no longer valid.
			table.integer('version').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('blocked_at').nullable();
			// The number of attempts to enter a password or a code since the last success, and the time of the last attempt.
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
			// The version of the user for which the link was created. The link is invalid once the user has a later version.
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
