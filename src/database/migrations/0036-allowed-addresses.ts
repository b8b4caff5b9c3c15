import type { Migration } from './migration.ts';

export const allowedAddresses: Migration = {
	name: '0036-allowed-addresses',
	async up(knex) {
		// Lists addresses from which nobody, or no user of one account, is banned for failed logins.
		await knex.schema.createTable('allowed_addresses', (table) => {
			// The account whose users are not banned; 0 means everybody.
			table.bigInteger('account_id').notNullable();
			// An address or a range of addresses, such as `192.0.2.0/24`.
			table.string('range', 64).notNullable();
			table.bigInteger('created_at').notNullable();
			table.primary(['account_id', 'range']);
		});
	},
};
