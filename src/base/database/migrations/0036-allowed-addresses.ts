import type { Migration } from './migration.ts';

export const allowedAddresses: Migration = {
	name: '0036-allowed-addresses',
	async up(knex) {
		// Lists addresses that are never banned for failed logins, either for everybody or for the users of one account.
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
