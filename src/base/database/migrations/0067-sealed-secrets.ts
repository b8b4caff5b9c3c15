import type { Migration } from './migration.ts';

export const sealedSecretRows: Migration = {
	name: '0067-sealed-secrets',
	async up(knex) {
		for (const name of ['portal_totp', 'gateway_credentials']) {
			await knex.schema.alterTable(name, (table) => {
				// The seal, a MAC over the columns that grant something, and the key under which it was computed. Rows that
				// are older than this migration have no seal until a daemon first starts after it; from then on, a row
				// without a seal is refused.
				table.integer('seal_key').nullable();
				table.binary('seal').nullable();
			});
		}
	},
};
