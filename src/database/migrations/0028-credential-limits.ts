import type { Migration } from './migration.ts';

/** Until when a credential is good, from where, and when it last was: for API keys, and from where for SSH keys. */
export const credentialLimits: Migration = {
	name: '0028-credential-limits',
	async up(knex) {
		await knex.schema.alterTable('api_keys', (table) => {
			table.bigInteger('valid_until').nullable();
			// Ranges with commas; null: from anywhere.
			table.text('from_ranges').nullable();
			table.bigInteger('last_used_at').nullable();
		});
		await knex.schema.alterTable('ssh_keys', (table) => {
			table.text('from_ranges').nullable();
		});
	},
};
