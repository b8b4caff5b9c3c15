import type { Migration } from './migration.ts';

export const people: Migration = {
	name: '0012-people',
	async up(knex) {
		await knex.schema.createTable('operators', (table) => {
			table.increments('id');
			// The name of the operator. It is never given twice, so that an entry of the trail always means one person.
			table.string('name', 32).notNullable().unique();
			// The role: 'view', 'operate' or 'keys'.
			table.string('role', 8).notNullable();
			// The fingerprint of the SSH key, or of the token's hash, which the trail names.
			table.string('fingerprint', 64).notNullable();
			// The public key, such as `ssh-ed25519 AAAA…`; null for a token.
			table.text('public_key');
			// The HMAC of the token under the credential key; null for an SSH key.
			table.string('token_hash', 64);
			table.integer('key_id');
			table.bigInteger('created_at').notNullable();
			table.bigInteger('removed_at');
		});
		await knex.schema.createTable('approvals', (table) => {
			table.string('id', 16).primary();
			table.string('requested_by', 32).notNullable();
			// The command as text for people, and its hash, which decides what was approved.
			table.text('command').notNullable();
			table.string('role', 8).notNullable();
			table.string('hash', 64).notNullable();
			table.bigInteger('requested_at').notNullable();
			table.string('approved_by', 32);
			table.bigInteger('approved_at');
			table.bigInteger('used_at');
			table.index(['requested_by', 'hash'], 'approvals_by_command');
		});
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
			table.bigInteger('version').notNullable();
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
			table.bigInteger('user_version').notNullable();
			table.bigInteger('created_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			table.integer('seal_key').notNullable();
			table.binary('seal').notNullable();
			table.index(['user_id'], 'portal_links_by_user');
			table.index(['expires_at'], 'portal_links_by_expiry');
			table.index(['account_id'], 'portal_links_by_account');
		});
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
			// The seal of the row, a MAC over the columns that grant something, and its key. A row without a seal is refused.
			table.integer('seal_key').nullable();
			table.binary('seal').nullable();
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
		await knex.schema.createTable('portal_sessions', (table) => {
			table.string('id', 26).primary();
			// A SHA-256 hash of the cookie.
			table.string('hash', 64).notNullable().unique();
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			table.bigInteger('user_version').notNullable();
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
		await knex.schema.createTable('portal_logins', (table) => {
			table.bigIncrements('id');
			table.bigInteger('user_id').notNullable();
			table.bigInteger('account_id').nullable();
			table.bigInteger('at').notNullable();
			table.string('address', 64).notNullable();
			table.string('agent', 255).notNullable();
			// The means by which the person tried to log in: `password`, `app`, `passkey`, `recovery` or `link`.
			table.string('way', 16).notNullable();
			// The result of the login: `in`, `wrong`, `locked` or `blocked`.
			table.string('result', 16).notNullable();
			table.index(['user_id', 'id'], 'portal_logins_by_user');
			table.index(['at'], 'portal_logins_by_time');
			table.index(['account_id'], 'portal_logins_by_account');
		});
	},
};
