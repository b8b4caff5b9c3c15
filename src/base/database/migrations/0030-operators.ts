import type { Migration } from './migration.ts';

export const operators: Migration = {
	name: '0030-operators',
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
		// A row of these tables is valid only if the trail has a matching entry. These indexes find the few entries about
		// operators and approvals without reading the whole trail.
		await knex.raw(`create index audit_of_operators on audit (seq)
			where action in ('operator.add', 'operator.remove', 'operator.recover')`);
		await knex.raw(`create index audit_of_approvals on audit (subject)
			where action in ('approval.request', 'approval.give', 'approval.use')`);
	},
};
