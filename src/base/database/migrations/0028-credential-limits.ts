import type { Migration } from './migration.ts';

/**
 * Adds limits of credentials and their last use: the end of validity, the allowed addresses and the last use for API
 * keys, and the allowed addresses for SSH keys.
 */
export const credentialLimits: Migration = {
	name: '0028-credential-limits',
	async up(knex) {
		await knex.schema.alterTable('api_keys', (table) => {
			table.bigInteger('valid_until').nullable();
			// The allowed address ranges, separated by commas; null means any address.
			table.text('from_ranges').nullable();
			table.bigInteger('last_used_at').nullable();
		});
		await knex.schema.alterTable('ssh_keys', (table) => {
			table.text('from_ranges').nullable();
		});
	},
};
