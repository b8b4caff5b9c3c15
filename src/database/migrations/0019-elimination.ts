import type { Migration } from './migration.ts';

export const elimination: Migration = {
	name: '0019-elimination',
	async up(knex, dialect) {
		const isSqlite = dialect === 'sqlite';
		const binary = isSqlite ? 'blob' : 'bytea';
		// A row for every different number a day: on SQLite the key alone, without a second tree for its index.
		const ending = isSqlite ? 'without rowid' : '';
		await knex.raw(
			`create table elimination_attempts (
				account_id bigint not null, day integer not null, near ${binary} not null, number ${binary} not null,
				primary key (account_id, day, near, number)
			) ${ending}`,
		);
		// Where the limit was reached: alarmed once a day, over all daemons.
		await knex.schema.createTable('elimination_limits', (table) => {
			table.integer('day').notNullable();
			table.bigInteger('account_id').notNullable();
			table.binary('near').notNullable();
			table.primary(['day', 'account_id', 'near']);
		});
	},
};
