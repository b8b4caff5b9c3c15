import type { Migration } from './migration.ts';

/**
 * Stores look-ups of duplicate elimination as two numbers of 32 bits. The rows are a third as long, which makes the
 * processing of files with elimination faster. The counts of the current day start again, once.
 */
export const smallAttempts: Migration = {
	name: '0027-small-attempts',
	async up(knex, dialect) {
		await knex.schema.dropTable('elimination_attempts');
		await knex.schema.dropTable('elimination_limits');
		// The table has a row for each different card number that an account looks up in a day. On SQLite the rows are
		// stored in the tree of the primary key, without a second tree.
		await knex.raw(
			`create table elimination_attempts (
				account_id bigint not null, day integer not null, near integer not null, number integer not null,
				primary key (account_id, day, near, number)
			) ${dialect === 'sqlite' ? 'without rowid' : ''}`,
		);
		await knex.schema.createTable('elimination_limits', (table) => {
			table.integer('day').notNullable();
			table.bigInteger('account_id').notNullable();
			table.integer('near').notNullable();
			table.primary(['day', 'account_id', 'near']);
		});
	},
};
