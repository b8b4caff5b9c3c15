// Inserts and changes single rows by short statements whose SQL is made from the names of the columns.

import { type Durability, execute, runSql, type SqlTarget } from './sql.ts';

type Values = Readonly<Record<string, unknown>>;

/** Leaves out values that are undefined, as knex does. */
function present(values: Values): Values {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/**
 * Inserts a row and returns it with its key, the column `key` that the database counts up. Columns that `row` does not
 * have are not returned.
 */
export async function insertRow<Row>(
	on: SqlTarget & { readonly client: { readonly dialect: string } },
	{ table, key }: { readonly table: string; readonly key: string },
	row: Values,
	durability: Durability = 'durable',
): Promise<Row> {
	const values = present(row);
	const columns = Object.keys(values);
	const isPostgres = on.client.dialect === 'postgresql';
	const insert = `insert into ${table} (${columns}) values (${columns.map(() => '?')})`;
	// On SQLite the driver tells the key. With `returning`, SQLite would first copy the row into a table of its own, and
	// within a transaction it would also copy every page that changes, beyond 64 KB into a temporary file.
	const sql = isPostgres ? `${insert} returning ${key}` : insert;
	const { rows, key: counted } = await runSql(on, sql, Object.values(values), durability);
	return { ...values, [key]: isPostgres ? (rows[0] as Values)[key] : counted } as Row;
}

/**
 * Changes the row with this id if the other given columns have the given values, and returns whether it did. The other
 * columns are compared by `is not distinct from`, for which PostgreSQL uses no index, so it finds the row by its id.
 * With `=`, PostgreSQL might use another index as long as it has no statistics of the table, and read all running jobs
 * instead of one.
 */
export async function updateRow(
	on: SqlTarget,
	table: string,
	{ id, ...others }: Values & { readonly id: unknown },
	changes: Values,
	durability: Durability = 'durable',
): Promise<boolean> {
	const expected = present(others);
	const values = present(changes);
	const set = Object.keys(values).map((column) => `${column} = ?`);
	const conditions = ['id = ?', ...Object.keys(expected).map((column) => `${column} is not distinct from ?`)];
	const sql = `update ${table} set ${set} where ${conditions.join(' and ')}`;
	const bindings = [...Object.values(values), id, ...Object.values(expected)];
	return (await execute(on, sql, bindings, durability)) === 1;
}
