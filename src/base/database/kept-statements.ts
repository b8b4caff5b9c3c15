// Runs short statements, of which a daemon runs thousands a second. Their SQL is built once from the names of the columns
// and then kept. knex would build it again each time, which takes longer than the statement itself.

import type { Knex } from 'knex';
import { rowsOf } from './dialect.ts';
import type { UNSYNCED } from './sqlite-client.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Maps the kind of a statement, its table and its columns to its SQL text. The map stays small, because the code has
 * only a few such statements.
 */
const kept = new Map<string, string>();

function sqlFor(key: string, build: () => string): string {
	let sql = kept.get(key);
	if (sql === undefined) kept.set(key, (sql = build()));
	return sql;
}

/** Leaves out values that are undefined, as knex does. */
function present(values: Values): Values {
	return Object.values(values).includes(undefined)
		? Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
		: values;
}

/**
 * Inserts a row and returns it with its key, the column `key` that the database counts up. Columns that `row` does not
 * have are not returned. `context` is knex's query context.
 */
export async function insertRow<Row>(
	knex: Knex,
	{ table, key }: { readonly table: string; readonly key: string },
	row: Values,
	context: Partial<typeof UNSYNCED> = {},
): Promise<Row> {
	const values = present(row);
	const columns = Object.keys(values);
	const isPostgres = knex.client.dialect === 'postgresql';
	// On SQLite the driver tells the key. With `returning`, SQLite would first copy the row into a table of its own, and
	// within a transaction it would also copy every page that changes, beyond 64 KB into a temporary file.
	const sql = sqlFor(`insert one ${table} ${columns} ${isPostgres}`, () => {
		const end = isPostgres ? ` returning ${key}` : '';
		return `insert into ${table} (${columns}) values (${columns.map(() => '?')})${end}`;
	});
	const answer: unknown = await knex.raw(sql, Object.values(values) as Knex.RawBinding[]).queryContext(context);
	const inserted = isPostgres
		? rowsOf<Values>(answer)[0][key]
		: (answer as { lastInsertRowid: number }).lastInsertRowid;
	return { ...values, [key]: inserted } as Row;
}

/** Inserts rows with the same columns and returns them as they are stored, in any order. */
export async function insertTogether<Row>(knex: Knex, table: string, rows: readonly Values[]): Promise<Row[]> {
	const columns = Object.keys(rows[0]);
	const sql = sqlFor(`insert ${table} ${columns} ${rows.length}`, () => {
		const places = `(${columns.map(() => '?')})`;
		return `insert into ${table} (${columns}) values ${rows.map(() => places)} returning *`;
	});
	const values = rows.flatMap((row) => columns.map((column) => row[column]));
	return rowsOf<Row>(await knex.raw(sql, values as Knex.RawBinding[]));
}

/**
 * Changes the row with this id if the other given columns have the given values, and returns whether it did. The other
 * columns are compared by `is not distinct from`, for which PostgreSQL uses no index, so it finds the row by its id.
 * With `=`, PostgreSQL might use another index as long as it has no statistics of the table, and read all running jobs
 * instead of one.
 */
export async function updateRow(
	knex: Knex,
	table: string,
	{ id, ...others }: Values & { readonly id: unknown },
	changes: Values,
	context: Partial<typeof UNSYNCED> = {},
): Promise<boolean> {
	const expected = present(others);
	const values = present(changes);
	const columns = Object.keys(values);
	const compared = Object.keys(expected);
	const sql = sqlFor(`update ${table} ${columns} ${compared}`, () => {
		const conditions = ['id = ?', ...compared.map((column) => `${column} is not distinct from ?`)];
		return `update ${table} set ${columns.map((column) => `${column} = ?`)} where ${conditions.join(' and ')}`;
	});
	const bindings = [...Object.values(values), id, ...Object.values(expected)] as Knex.RawBinding[];
	return changedBy(await knex.raw(sql, bindings).queryContext(context)) === 1;
}

/**
 * Changes several rows in one statement. Each row is found by its id and gets the values given for it in `rows`. In
 * addition, the assignments in the SQL text `others` are applied to all of them. `types` names the columns of `rows`,
 * `id` first, with the SQL types that PostgreSQL needs for the bound values.
 */
export async function updateTogether(
	knex: Knex,
	table: string,
	{ rows, types, others }: { readonly rows: readonly Values[]; readonly types: Values; readonly others: string },
): Promise<void> {
	const columns = Object.keys(types);
	const sql = sqlFor(`update ${table} ${columns} ${others} ${rows.length}`, () => {
		const typed = columns.map((column) => `cast(? as ${types[column]})`);
		const values = [`(${typed})`, ...Array(rows.length - 1).fill(`(${columns.map(() => '?')})`)];
		const changes = columns.slice(1).map((column) => `${column} = changed.${column}`);
		return `with changed (${columns}) as (values ${values})
			update ${table} set ${changes}, ${others} from changed where ${table}.id = changed.id`;
	});
	await knex.raw(sql, rows.flatMap((row) => columns.map((column) => row[column])) as Knex.RawBinding[]);
}

/**
 * Returns the number of rows that a raw statement changed. knex passes on the driver's answer, which has another form for
 * each database.
 */
function changedBy(answer: unknown): number {
	const { changes, rowCount } = answer as { changes?: number; rowCount?: number };
	return changes ?? rowCount ?? 0;
}
