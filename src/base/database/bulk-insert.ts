// Inserts many rows a second into one table. knex would build and parse its SQL again for every call, which takes longer
// than inserting the rows.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { gather, perDatabase } from './gather.ts';
import { transactOn } from './plain-transaction.ts';
import { execute, runOn, type SqlTransaction, withConnection } from './sql.ts';
import { isSqlite, prepared, type SqliteConnection } from './sqlite-connection.ts';

interface Target {
	readonly table: string;
	readonly columns: readonly string[];
}

/** Rows are lists of values in the order of the columns. */
type Rows = readonly (readonly unknown[])[];

/** The number of rows in one statement for PostgreSQL, which accepts at most 65,535 bound values. */
const ROWS_PER_INSERT = 1000;

/**
 * Returns the insert of some rows for PostgreSQL. A value that all rows have in a column is sent once, because the server parses
 * each value of each statement: it keeps none of ours, since PgBouncer allows no statement with a name.
 */
function insertOf({ table, columns }: Target, rows: Rows) {
	const values: unknown[] = [];
	const [first] = rows;
	const shared = columns.map((_, at) => rows.every((row) => row[at] === first[at]) && `$${values.push(first[at])}`);
	const listed = rows.map((row) => `(${row.map((value, at) => shared[at] || `$${values.push(value)}`)})`);
	return { text: `insert into ${table} (${columns}) values ${listed}`, values };
}

/** Inserts rows within a transaction. */
export async function insertRows(
	transaction: SqlTransaction,
	table: string,
	rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
	const columns = Object.keys(rows[0]);
	const values = rows.map((row) => columns.map((column) => row[column]));
	await insertValues(transaction, { table, columns }, values);
}

/** Inserts rows whose values are in the order of the columns, within a transaction. */
export async function insertValues(transaction: SqlTransaction, target: Target, rows: Rows): Promise<void> {
	await withConnection(transaction, async (connection) => {
		if (isSqlite(connection)) return insertOnSqlite(connection, target, rows);
		for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
			const { text, values } = insertOf(target, rows.slice(at, at + ROWS_PER_INSERT));
			await execute(transaction, text, values);
		}
	});
}

function insertOnSqlite(connection: SqliteConnection, { table, columns }: Target, rows: Rows): void {
	const statement = prepared(connection, `insert into ${table} (${columns}) values (${columns.map(() => '?')})`);
	for (const row of rows) statement.run(row);
}

/**
 * Inserts rows in a transaction of their own. Its commit does not wait for the disk: the rows become durable with the next
 * durable commit, at the latest with the one that makes their pass permanent.
 */
export type BulkInsert = (rows: Rows) => Promise<void>;

/** The largest number of rows in one PostgreSQL statement of a bulk insert. */
const ROWS_PER_STATEMENT = 64;

/** Returns the function that inserts into a table. `knex` must not be a transaction, because the rows get their own. */
export function bulkInsert(knex: Knex, dialect: Dialect, table: string, columns: readonly string[]): BulkInsert {
	const target = { table, columns };
	if (dialect === 'sqlite') {
		const insert = insertsOf({ knex });
		return (rows) => insert({ target, rows });
	}
	const insertMany = insertOnPostgres(knex, target);
	const inserts = smallInsertsOf({ knex });
	const insertFew = inserts.get(table) ?? insertTogether(insertMany);
	inserts.set(table, insertFew);
	return (rows) => (rows.length > ROWS_PER_STATEMENT / 2 ? insertMany(rows) : insertFew(rows));
}

/**
 * Inserts into SQLite what is to be inserted at the same moment in one transaction. A small file, for example, causes
 * inserts into several tables, which then share a commit.
 */
const insertsOf = perDatabase(({ knex }: { readonly knex: Knex }) =>
	gather<{ readonly target: Target; readonly rows: Rows }, void>({
		onFailure: 'split',
		async doAll(inserts) {
			await transactOn(knex, 'unsynced', async (connection) => {
				for (const { target, rows } of inserts) insertOnSqlite(connection as SqliteConnection, target, rows);
			});
			return [];
		},
	}),
);

const smallInsertsOf = perDatabase((_: { readonly knex: Knex }) => new Map<string, BulkInsert>());

/** Lets callers that insert few rows at the same moment, such as jobs of small files, share a statement. */
function insertTogether(insert: BulkInsert): BulkInsert {
	return gather<Rows, void>({
		onFailure: 'split',
		async doAll(each) {
			await insert(each.flat());
			return [];
		},
	});
}

function insertOnPostgres(knex: Knex, target: Target): BulkInsert {
	return async (rows) => {
		await transactOn(knex, 'unsynced', async (connection) => {
			for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
				const { text, values } = insertOf(target, rows.slice(at, at + ROWS_PER_STATEMENT));
				await runOn(connection, text, values);
			}
		});
	};
}
