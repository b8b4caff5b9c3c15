import type { Migration } from './migration.ts';

export const defender: Migration = {
	name: '0010-defender',
	async up(knex) {
		await knex.schema.createTable('defender_scores', (table) => {
			// The listener, 'sftp' or 'http'. Each listener has its own scores.
			table.string('door', 8).notNullable();
			// The address as the log shows it, or a /64 block of IPv6 addresses.
			table.string('address', 64).notNullable();
			// The start and the length of the current time window, the score of the address in it, and the score in the
			// window before.
			table.bigInteger('window_start').notNullable();
			table.bigInteger('window_ms').notNullable();
			table.bigInteger('score').notNullable();
			table.bigInteger('previous_score').notNullable();
			// The time until which the address is banned (0 for never), and the time when the ban was last decided or
			// lifted.
			table.bigInteger('banned_until').notNullable();
			table.bigInteger('banned_at').notNullable();
			table.bigInteger('told_at').notNullable();
			table.bigInteger('expires_at').notNullable();
			table.primary(['door', 'address']);
			table.index(['expires_at'], 'defender_scores_by_expiry');
		});
		// Every daemon reads this index every second to learn of new bans. It contains only addresses that were ever
		// banned, by the time of the decision, so a change of scores alone does not write to it.
		await knex.raw('create index defender_bans on defender_scores (banned_at) where banned_at > 0');
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
