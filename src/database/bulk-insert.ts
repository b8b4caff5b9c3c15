// Inserts many rows a second into one table. knex builds and parses its SQL again for every call, which costs more than
// the rows; both drivers below it support prepared statements.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import type { PlainTransaction } from './plain-transaction.ts';

/**
 * Inserts rows (arrays in the order of the columns) in their own transaction. On SQLite they are durable together with the
 * next durable commit, which is, at the latest, the one that makes their pass permanent.
 */
export type BulkInsert = (rows: readonly (readonly unknown[])[]) => Promise<void>;

interface SqliteConnection {
	prepare(sql: string): { run(...values: unknown[]): unknown };
	exec(sql: string): unknown;
}

interface PostgresConnection {
	query(statement: { name: string; text: string; values: unknown[] }): Promise<unknown>;
}

/** The number of rows in one PostgreSQL statement. It is fixed, so that the statement is prepared once. */
const ROWS_PER_STATEMENT = 64;

/** Makes the insert function for a table. `knex` must not be a transaction, because the rows get their own. */
export function bulkInsert(knex: Knex, dialect: Dialect, table: string, columns: readonly string[]): BulkInsert {
	return dialect === 'sqlite' ? intoSqlite(knex, table, columns) : intoPostgres(knex, table, columns);
}

function intoSqlite(knex: Knex, table: string, columns: readonly string[]): BulkInsert {
	const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
	const prepared = new WeakMap<SqliteConnection, ReturnType<SqliteConnection['prepare']>>();
	return async (rows) => {
		const connection = (await knex.client.acquireConnection()) as SqliteConnection;
		try {
			let statement = prepared.get(connection);
			if (!statement) prepared.set(connection, (statement = connection.prepare(sql)));
			connection.exec('begin immediate');
			try {
				for (const row of rows) statement.run(row);
				connection.exec('commit');
			} catch (error) {
				connection.exec('rollback');
				throw error;
			}
		} finally {
			await knex.client.releaseConnection(connection);
		}
	};
}

function intoPostgres(knex: Knex, table: string, columns: readonly string[]): BulkInsert {
	const textFor = (count: number) => {
		let parameter = 0;
		const tuples = Array.from({ length: count }, () => `(${columns.map(() => `$${++parameter}`).join(',')})`);
		return `insert into ${table} (${columns.join(', ')}) values ${tuples.join(',')}`;
	};
	const full = textFor(ROWS_PER_STATEMENT);
	const statementFor = (rows: readonly (readonly unknown[])[]) =>
		rows.length === ROWS_PER_STATEMENT
			? { name: `bulk_${table}_${ROWS_PER_STATEMENT}`, text: full, values: rows.flat() }
			: { name: '', text: textFor(rows.length), values: rows.flat() };
	return async (rows) => {
		const connection = (await knex.client.acquireConnection()) as PostgresConnection;
		try {
			if (rows.length <= ROWS_PER_STATEMENT) {
				await connection.query(statementFor(rows));
				return;
			}
			await connection.query({ name: '', text: 'begin', values: [] });
			try {
				for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
					await connection.query(statementFor(rows.slice(at, at + ROWS_PER_STATEMENT)));
				}
				await connection.query({ name: '', text: 'commit', values: [] });
			} catch (error) {
				await connection.query({ name: '', text: 'rollback', values: [] });
				throw error;
			}
		} finally {
			await knex.client.releaseConnection(connection);
		}
	};
}

/** The number of rows in one statement for PostgreSQL, which accepts at most 65,535 bound values. */
const ROWS_PER_INSERT = 1000;
const statements = new WeakMap<SqliteConnection, Map<string, ReturnType<SqliteConnection['prepare']>>>();

/**
 * Inserts rows within a transaction. On SQLite it uses prepared statements, because knex would compile one for every
 * call.
 */
export async function insertRows(
	transaction: PlainTransaction,
	dialect: Dialect,
	table: string,
	rows: readonly Record<string, unknown>[],
): Promise<void> {
	const columns = Object.keys(rows[0]);
	const values = rows.map((row) => columns.map((column) => row[column]));
	await insertValues(transaction, dialect, { table, columns }, values);
}

/**
 * Inserts rows whose values are in the order of the columns, within a transaction. On SQLite it uses prepared
 * statements, because knex would compile one for every call.
 */
export async function insertValues(
	transaction: PlainTransaction,
	dialect: Dialect,
	{ table, columns }: { readonly table: string; readonly columns: readonly string[] },
	rows: readonly (readonly unknown[])[],
): Promise<void> {
	if (dialect === 'postgres') {
		for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
			const named = rows.slice(at, at + ROWS_PER_INSERT).map((values) => byColumn(columns, values));
			await (transaction as Knex.Transaction)(table).insert(named);
		}
		return;
	}
	// Within a transaction this is the transaction's own connection.
	const connection = (await transaction.client.acquireConnection()) as SqliteConnection;
	const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
	let known = statements.get(connection);
	if (!known) statements.set(connection, (known = new Map()));
	let statement = known.get(sql);
	if (!statement) known.set(sql, (statement = connection.prepare(sql)));
	for (const row of rows) statement.run(row);
}

function byColumn(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
	return Object.fromEntries(columns.map((column, index) => [column, values[index]]));
}
