import type { Migration } from './migration.ts';

/**
 * Attempts of duplicate elimination as two numbers of 32 bits: rows a third as long, which cost a file with
 * elimination as much less. What was counted today starts anew, once.
 */
export const smallAttempts: Migration = {
	name: '0027-small-attempts',
	async up(knex, dialect) {
		await knex.schema.dropTable('elimination_attempts');
		await knex.schema.dropTable('elimination_limits');
		// A row for every different number a day: on SQLite the key alone, without a second tree for its index.
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
