// Inserts many rows a second into one table, with prepared statements of the database drivers. knex would build and parse
// its SQL again for every call, which takes longer than inserting the rows.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { gathered, perDatabase } from './gather.ts';
import { type PlainTransaction, type SqliteConnection, transactOnSqlite } from './plain-transaction.ts';

/**
 * Inserts rows (arrays of values in the order of the columns) in a transaction of their own. Its commit does not wait
 * for the disk: the rows become durable with the next durable commit, at the latest with the one that makes their pass
 * permanent.
 */
export type BulkInsert = (rows: readonly (readonly unknown[])[]) => Promise<void>;

interface PostgresConnection {
	query(statement: { name: string; text: string; values: unknown[] }): Promise<unknown>;
}

/**
 * The largest number of rows in one PostgreSQL statement. It is fixed, so that the statement with this number of rows is
 * prepared only once.
 */
const ROWS_PER_STATEMENT = 64;

/** Returns the function that inserts into a table. `knex` must not be a transaction, because the rows get their own. */
export function bulkInsert(knex: Knex, dialect: Dialect, table: string, columns: readonly string[]): BulkInsert {
	return dialect === 'sqlite' ? intoSqlite(knex, table, columns) : intoPostgres(knex, table, columns);
}

/** An insert that waits for its transaction. */
interface Waiting {
	readonly sql: string;
	readonly rows: readonly (readonly unknown[])[];
	resolve(): void;
	reject(error: unknown): void;
}

/** The inserts that wait for a transaction, by database. */
const waitingOf = new WeakMap<Knex, Waiting[]>();

function intoSqlite(knex: Knex, table: string, columns: readonly string[]): BulkInsert {
	const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
	return (rows) =>
		new Promise((resolve, reject) => {
			const waiting = waitingOf.get(knex);
			if (waiting) waiting.push({ sql, rows, resolve, reject });
			else {
				waitingOf.set(knex, [{ sql, rows, resolve, reject }]);
				void insertWaiting(knex);
			}
		});
}

/**
 * Waits until the connection is free, and then runs all inserts that were requested by then in one transaction. A small
 * file, for example, causes inserts into several tables, which then share a commit.
 */
async function insertWaiting(knex: Knex): Promise<void> {
	let inserts: Waiting[] = [];
	try {
		await transactOnSqlite(knex, (connection) => {
			inserts = waitingOf.get(knex)!;
			waitingOf.delete(knex);
			for (const each of inserts) insertInto(connection, each);
		});
		for (const each of inserts) each.resolve();
	} catch (error) {
		if (inserts.length === 0) {
			// The transaction did not begin, so its inserts are still in the list of waiting ones. All of them fail.
			inserts = waitingOf.get(knex)!;
			waitingOf.delete(knex);
			for (const each of inserts) each.reject(error);
		} else if (inserts.length === 1) inserts[0].reject(error);
		else for (const each of inserts) await insertAlone(knex, each);
	}
}

/**
 * Runs one insert in its own transaction after a shared transaction failed, so that no caller loses rows because of
 * another caller's error.
 */
async function insertAlone(knex: Knex, insert: Waiting): Promise<void> {
	try {
		await transactOnSqlite(knex, (connection) => insertInto(connection, insert));
		insert.resolve();
	} catch (error) {
		insert.reject(error);
	}
}

function insertInto(connection: SqliteConnection, { sql, rows }: Waiting): void {
	const statement = connection.prepare(sql);
	for (const row of rows) statement.run(row);
}

/** The rows of one caller. */
interface Insert {
	readonly rows: readonly (readonly unknown[])[];
}

/** The functions that insert a few rows into PostgreSQL, by table. */
const smallInserts = perDatabase((_: { readonly knex: Knex }) => new Map<string, BulkInsert>());

/**
 * Returns the function that inserts into a table of PostgreSQL. Callers that insert few rows at the same moment, such as
 * jobs of small files, share a statement.
 */
function intoPostgres(knex: Knex, table: string, columns: readonly string[]): BulkInsert {
	const insert = insertIntoPostgres(knex, table, columns);
	const inserts = smallInserts({ knex });
	const insertFew = inserts.get(table) ?? sharedInsert(insert);
	inserts.set(table, insertFew);
	return (rows) => (rows.length > ROWS_PER_STATEMENT / 2 ? insert(rows) : insertFew(rows));
}

function sharedInsert(insert: BulkInsert): BulkInsert {
	const run = gathered(async (inserts: readonly Insert[]) => {
		const groups = await Promise.all(statementsOf(inserts).map((group) => insertGroup(insert, group)));
		return new Map(groups.flat());
	});
	return async (rows) => {
		const failure = await run({ rows });
		if (failure) throw failure.error;
	};
}

/** Divides inserts into groups, so that the rows of each group fit into one statement. */
function statementsOf(inserts: readonly Insert[]): Insert[][] {
	const groups: Insert[][] = [];
	let room = 0;
	for (const each of inserts) {
		if (each.rows.length > room) {
			groups.push([]);
			room = ROWS_PER_STATEMENT;
		}
		groups.at(-1)!.push(each);
		room -= each.rows.length;
	}
	return groups;
}

/**
 * Inserts the rows of several callers in one statement. If that fails, the rows of each caller are inserted alone, so
 * that the error of one does not affect the others. Returns the failure of each insert, undefined if there was none.
 */
async function insertGroup(
	insert: BulkInsert,
	group: readonly Insert[],
): Promise<[Insert, { readonly error: unknown } | undefined][]> {
	try {
		await insert(group.flatMap(({ rows }) => rows));
		return group.map((each) => [each, undefined]);
	} catch (error) {
		if (group.length === 1) return [[group[0], { error }]];
		return (await Promise.all(group.map((each) => insertGroup(insert, [each])))).flat();
	}
}

function insertIntoPostgres(knex: Knex, table: string, columns: readonly string[]): BulkInsert {
	const texts = new Map<number, string>();
	const textFor = (count: number) => {
		let text = texts.get(count);
		if (text === undefined) {
			let parameter = 0;
			const tuples = Array.from({ length: count }, () => `(${columns.map(() => `$${++parameter}`).join(',')})`);
			text = `insert into ${table} (${columns.join(', ')}) values ${tuples.join(',')}`;
			texts.set(count, text);
		}
		return text;
	};
	const statementFor = (rows: readonly (readonly unknown[])[]) => ({
		name: rows.length === ROWS_PER_STATEMENT ? `bulk_${table}_${ROWS_PER_STATEMENT}` : '',
		text: textFor(rows.length),
		values: rows.flat(),
	});
	return async (rows) => {
		const connection = (await knex.client.acquireConnection()) as PostgresConnection;
		try {
			if (rows.length <= ROWS_PER_STATEMENT) {
				// `set_config` in the `returning` clause switches `synchronous_commit` off for this statement before its
				// commit, so that PostgreSQL does not wait for the disk.
				const text = `${textFor(rows.length)} returning set_config('synchronous_commit', 'off', true)`;
				await connection.query({ name: '', text, values: rows.flat() });
				return;
			}
			await connection.query({ name: '', text: 'begin; set local synchronous_commit = off', values: [] });
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
	// This takes no further connection from the pool: the client of a transaction returns the connection on which the
	// transaction runs.
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
