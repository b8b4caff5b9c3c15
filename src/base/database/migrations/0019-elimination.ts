import type { Knex } from 'knex';
import type { Migration } from './migration.ts';

export const elimination: Migration = {
	name: '0019-elimination',
	async up(knex, dialect) {
		const isSqlite = dialect === 'sqlite';
		const binary = isSqlite ? 'blob' : 'bytea';
		// The table has a row for each different card number that an account looks up in a day. On SQLite the rows are
		// stored in the tree of the primary key, without a second tree.
		const ending = isSqlite ? 'without rowid' : '';
		await knex.raw(
			`create table elimination_attempts (
				account_id bigint not null, day integer not null, near ${binary} not null, number ${binary} not null,
				primary key (account_id, day, near, number)
			) ${ending}`,
		);
		// Records the groups of similar card numbers that have reached the daily limit, so that all daemons together raise
		// one alarm a day. `near` is a MAC over the digits that the numbers of a group have in common.
		await knex.schema.createTable('elimination_limits', (table) => {
			table.integer('day').notNullable();
			table.bigInteger('account_id').notNullable();
			table.binary('near').notNullable();
			table.primary(['day', 'account_id', 'near']);
		});
		await grant(knex, 'api_keys', ['Tokenize', 'Capture', 'FileTokenize']);
		await grant(knex, 'ssh_keys', ['FileTokenize']);
	},
};

/**
 * Grants the new permission to the credentials of primary accounts, so that they keep working as before. Credentials of
 * sub-users and properties do not get it, because they are given to others; an operator grants it where it is needed.
 */
async function grant(knex: Knex, table: string, given: readonly string[]): Promise<void> {
	const rows: { id: number; permissions: string }[] = await knex(`${table} as c`)
		.join('accounts as a', 'a.id', 'c.account_id')
		.where('a.kind', 'primary')
		.select('c.id', 'c.permissions');
	for (const { id, permissions } of rows) {
		if (!permissions.split(',').some((name) => given.includes(name))) continue;
		await knex(table)
			.where({ id })
			.update({ permissions: `${permissions},EliminateDuplicates` });
	}
}
