// Reads and writes whole tables, to move them between SQLite and PostgreSQL. Both have the same tables, and SQLite says
// how they are made.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { lockSchema } from './locks.ts';
import { execute, queryRows } from './sql.ts';

export type Row = Readonly<Record<string, unknown>>;

/** What has to be known of a table to copy it. */
export interface TableShape {
	readonly name: string;
	/** The columns of the primary key. */
	readonly key: readonly string[];
	/** The columns that are numbers on SQLite and true or false on PostgreSQL. */
	readonly booleans: ReadonlySet<string>;
}

/** This many rows are read and written at once. Both databases limit the number of values of a statement. */
const ROWS_AT_ONCE = 500;
/** Each version fills these tables itself. */
const OF_MIGRATIONS = ['schema_migrations', 'schema_migrations_lock'];

/** Lists the tables of a SQLite database. One to whose rows others refer comes before them. */
export async function listTables(sqlite: Knex): Promise<TableShape[]> {
	const query = <R>(sql: string, ...bindings: string[]) => queryRows<R>(sqlite, sql, bindings);
	const found = await query<{ name: string }>(
		`select name from sqlite_master where type = 'table' and name not like 'sqlite%' order by name`,
	);
	const left = new Map<string, { shape: TableShape; needs: Set<string> }>();
	for (const { name } of found) {
		if (OF_MIGRATIONS.includes(name)) continue;
		const columns = await query<{ name: string; type: string; pk: number }>(
			'select name, type, pk from pragma_table_info(?) order by pk',
			name,
		);
		const references = await query<{ table: string }>(`select "table" from pragma_foreign_key_list(?)`, name);
		const key = columns.filter(({ pk }) => pk > 0).map((column) => column.name);
		if (key.length === 0) throw new Error(`internal error: the table ${name} has no primary key`);
		const booleans = new Set(columns.filter(({ type }) => type === 'boolean').map((column) => column.name));
		const needs = new Set(references.map(({ table }) => table).filter((table) => table !== name));
		left.set(name, { shape: { name, key, booleans }, needs });
	}
	const ordered: TableShape[] = [];
	while (left.size > 0) {
		const next = [...left.values()].find(({ needs }) => ![...needs].some((table) => left.has(table)));
		if (!next) throw new Error('internal error: tables refer to each other in a circle');
		ordered.push(next.shape);
		left.delete(next.shape.name);
	}
	return ordered;
}

/** Reads all rows of a table in the order of their keys, some at a time. */
export async function* readTable(knex: Knex, { name, key }: TableShape): AsyncGenerator<Row[]> {
	for (let last: Row | undefined; ; ) {
		const query = knex(name)
			.orderBy([...key])
			.limit(ROWS_AT_ONCE);
		if (last) {
			const after = last;
			query.whereRaw(
				`(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`,
				key.map((column) => after[column]) as Knex.RawBinding[],
			);
		}
		const rows: Row[] = await query;
		if (rows.length > 0) yield rows;
		if (rows.length < ROWS_AT_ONCE) return;
		last = rows.at(-1);
	}
}

/** Inserts rows that were read from the other kind of database. */
export async function insertInto(knex: Knex, dialect: Dialect, table: TableShape, rows: readonly Row[]): Promise<void> {
	const fitted = rows.map((row) => {
		const values = { ...row };
		for (const column of table.booleans) {
			if (values[column] !== null)
				values[column] = dialect === 'postgres' ? Boolean(values[column]) : Number(values[column]);
		}
		return values;
	});
	await knex(table.name).insert(fitted);
}

/** Returns the rows that have the keys of the given ones, by `keyOf`. */
export async function findRows(knex: Knex, table: TableShape, rows: readonly Row[]): Promise<Map<string, Row>> {
	const keys = rows.map((row) => table.key.map((column) => row[column])) as Knex.Value[][];
	const found: Row[] = await knex(table.name).whereIn([...table.key], keys);
	return new Map(found.map((row) => [keyOf(table, row), row]));
}

export function keyOf({ key }: TableShape, row: Row): string {
	return JSON.stringify(key.map((column) => plain(row[column])));
}

/** Tells whether two rows have the same values, each as its kind of database gives them. */
export function isSameRow(one: Row, other: Row): boolean {
	const columns = Object.keys(one);
	return (
		columns.length === Object.keys(other).length &&
		columns.every((column) => column in other && plain(one[column]) === plain(other[column]))
	);
}

/** Returns a value in a form that is the same for both databases. */
function plain(value: unknown): unknown {
	if (typeof value === 'boolean') return Number(value);
	return Buffer.isBuffer(value) ? `bytes ${value.toString('base64')}` : value;
}

export async function countRows(knex: Knex, { name }: TableShape): Promise<number> {
	const [{ rows }] = await knex(name).count({ rows: '*' });
	return Number(rows);
}

/** Returns the last number that a table has given to a row by itself; 0 if it gives none. */
export async function readCounter(knex: Knex, dialect: Dialect, table: TableShape): Promise<number> {
	if (dialect === 'sqlite') {
		// The table is not there before the first row that is numbered.
		if (!(await knex.schema.hasTable('sqlite_sequence'))) return 0;
		const sql = 'select seq from sqlite_sequence where name = ?';
		const [row] = await queryRows<{ seq: number }>(knex, sql, [table.name]);
		return row?.seq ?? 0;
	}
	const sequence = await sequenceOf(knex, table);
	if (sequence === null) return 0;
	const sql = `select last_value as last, is_called as given from ${sequence}`;
	const [row] = await queryRows<{ last: number; given: boolean }>(knex, sql);
	return row.given ? row.last : 0;
}

/** Lets a table go on with the number after `last`, so that no number is given twice. */
export async function writeCounter(knex: Knex, dialect: Dialect, table: TableShape, last: number): Promise<void> {
	if (last === 0) return;
	if (dialect === 'postgres') {
		await execute(knex, 'select setval(?, ?)', [(await sequenceOf(knex, table))!, last]);
		return;
	}
	await execute(knex, 'delete from sqlite_sequence where name = ?', [table.name]);
	await execute(knex, 'insert into sqlite_sequence (name, seq) values (?, ?)', [table.name, last]);
}

async function sequenceOf(knex: Knex, { name, key }: TableShape): Promise<string | null> {
	const sql = 'select pg_get_serial_sequence(?, ?) as sequence';
	const [row] = await queryRows<{ sequence: string | null }>(knex, sql, [name, key[0]]);
	return row.sequence;
}

/** Tells whether a database has no tables at all. */
export async function isWithoutTables(knex: Knex, dialect: Dialect): Promise<boolean> {
	const sql =
		dialect === 'postgres'
			? // Extensions have views there.
				`select 1 from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE' limit 1`
			: `select 1 from sqlite_master where type = 'table' limit 1`;
	return (await queryRows(knex, sql)).length === 0;
}

/**
 * Runs a transaction during which nobody else changes anything. On SQLite a transaction holds the only write lock; on
 * PostgreSQL it takes that of each table.
 */
export async function stillTransaction<T>(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	if (dialect === 'sqlite') return knex.transaction(work);
	return knex.transaction(async (transaction) => {
		await lockSchema(transaction);
		const tables = await queryRows<{ name: string }>(
			transaction,
			`select table_name as name from information_schema.tables
				where table_schema = current_schema() and table_type = 'BASE TABLE'`,
		);
		await execute(transaction, `lock table ${tables.map(({ name }) => name).join(', ')} in share row exclusive mode`);
		return work(transaction);
	});
}

/** Writes everything that is in the log of a SQLite database into its file. */
export async function emptyLog(sqlite: Knex): Promise<void> {
	await execute(sqlite, 'pragma wal_checkpoint(truncate)');
}
