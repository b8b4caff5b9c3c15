// Contains every difference between SQLite and PostgreSQL that our SQL cannot avoid.

import type { Knex } from 'knex';
import { queryRows } from './sql.ts';
import { syncCommits } from './sqlite-connection.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Returns the kind of database that a URL names; anything without PostgreSQL's scheme is a SQLite file. */
export function dialectOf(url: string): Dialect {
	return /^postgres(ql)?:\/\//.test(url) ? 'postgres' : 'sqlite';
}

/**
 * On PostgreSQL, this clause makes a `select` of queue rows skip those that another daemon has locked. SQLite allows
 * only one writer and needs no such clause.
 */
export function skipLockedClause(dialect: Dialect): string {
	return dialect === 'postgres' ? 'for update skip locked' : '';
}

/**
 * Returns the SQL that joins `table` to the tables named before it in a statement. The subquery `keys` runs for each of
 * their rows, and those rows of `table` are joined whose column `key` has one of the values found. The SQL differs
 * between the databases, because each reads only these rows of `table` in a different form.
 */
export function joinEach(dialect: Dialect, table: string, alias: string, key: string, keys: string): string {
	return dialect === 'postgres'
		? `cross join lateral (${keys}) found join ${table} ${alias} on ${alias}.${key} = found.${key}`
		: `join ${table} ${alias} on ${alias}.${key} in (${keys})`;
}

/**
 * Returns the name of a table, on SQLite followed by the index that the statement has to use. SQLite has no statistics,
 * so it might use any index whose first column is compared. PostgreSQL chooses the right index by itself and has no
 * such hint.
 */
export function byIndex(dialect: Dialect, table: string, index: string): string {
	return dialect === 'sqlite' ? `${table} indexed by ${index}` : table;
}

/**
 * Returns the SQL of a text in a column that holds a JSON object, by the first of these names that is there; null if the
 * object has none of them. An index over it is used only by statements that name it in the same way.
 */
export function jsonText(dialect: Dialect, column: string, ...names: readonly string[]): string {
	const texts = names.map((name) =>
		dialect === 'postgres' ? `(${column}::json ->> '${name}')` : `json_extract(${column}, '$.${name}')`,
	);
	return texts.length === 1 ? texts[0] : `coalesce(${texts.join(', ')})`;
}

/**
 * Returns the condition on PostgreSQL that a JSON object has one of some names. It looks at the text alone, which takes less
 * time than reading the object. An index that is limited to it is used only by statements that name it in the same way. It
 * is put as an inequality, of which PostgreSQL expects that nearly all rows fulfil it, so that it does not take the values
 * beside it for rarer than they are.
 */
export function hasDetail(column: string, names: readonly string[]): string {
	return `(${names.map((name) => `strpos(${column}, '"${name}":') <> 0`).join(' or ')})`;
}

/** Returns the SQL of a column of text in the order of its bytes, as an index of SQLite has it anyway. */
export function byteOrdered(dialect: Dialect, column: string): string {
	return dialect === 'postgres' ? `${column} collate "C"` : column;
}

/**
 * Returns the condition that a column has one of some values, without the column, and the binding of all of them. They are bound as
 * one value, so the same compiled statement serves any number of them.
 */
export function isOneOf(dialect: Dialect, values: readonly (number | string | Buffer)[]): readonly [string, never] {
	if (dialect === 'postgres') return ['= any(?)', values as never];
	const value = Buffer.isBuffer(values[0]) ? 'unhex(value)' : 'value';
	const listed = values.map((each) => (Buffer.isBuffer(each) ? each.toString('hex') : each));
	return [`in (select ${value} from json_each(?))`, JSON.stringify(listed) as never];
}

const LAST_CHARACTER = '\u{10ffff}';

/**
 * Returns the condition that a text begins with another, with its bindings. An index over `byteOrdered` of the column
 * serves it.
 */
export function beginsWith(dialect: Dialect, column: string, text: string): readonly [sql: string, bindings: string[]] {
	const ordered = byteOrdered(dialect, column);
	return [`${ordered} >= ? and ${ordered} < ?`, [text, `${text}${LAST_CHARACTER}`]];
}

/**
 * On PostgreSQL, this clause locks the rows that a transaction reads in order to change them. On SQLite a transaction
 * has the only write lock anyway.
 */
export function forUpdateClause(dialect: Dialect): string {
	return dialect === 'postgres' ? 'for update' : '';
}

/**
 * Runs a transaction; when the promise resolves, its changes are durable. On SQLite the transaction holds the write
 * lock from its beginning (`sqlite-connection.ts`).
 */
export async function transact<T>(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	const result = await database.knex.transaction(work);
	await syncCommits(database.knex);
	return result;
}

const TRIES = 3;

/**
 * Runs a transaction, and runs it again if another caller has given the same name to a file in the meantime, which a
 * unique index does not allow. The next run finds the file of that caller.
 */
export async function transactAnew<T>(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await transact(database, work);
		} catch (error) {
			if (!isUniqueViolation(error) || tries === TRIES) throw error;
		}
	}
}

/**
 * Returns the first row of a query of a call that comes often. `first()` of knex binds its limit of one, and for a bound
 * limit SQLite plans a statement again each time, which takes longer than finding a row by its key.
 */
export async function firstRow<Row>(query: Knex.QueryBuilder): Promise<Row | undefined> {
	return (await query.limit(1, { skipBinding: true }))[0];
}

/** Deletes the rows that a query selects, and returns them. On SQLite, knex itself returns only their number. */
export async function deleteRows<Row>(knex: Knex, query: Knex.QueryBuilder): Promise<Row[]> {
	const { sql, bindings } = query.delete().toSQL();
	return queryRows<Row>(knex, `${sql} returning *`, bindings);
}

/** Inserts a row without the columns that the database fills, and returns it with them. */
export async function insertRow<Row>(table: Knex.QueryBuilder, row: object): Promise<Row> {
	const [inserted] = await table.insert(row).returning('*');
	return inserted as Row;
}

/** Inserts a row unless there is one of these key columns already; returns whether it did. */
export async function insertNew(table: Knex.QueryBuilder, row: object, ...key: string[]): Promise<boolean> {
	const inserted = await table.insert(row).onConflict(key).ignore().returning(key);
	return inserted.length > 0;
}

/** Tells whether an error says that a unique index already contains the row. */
export function isUniqueViolation(error: unknown): boolean {
	const code = (error as { code?: unknown } | null)?.code;
	return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

/** Tells whether a statement on PostgreSQL failed because a lock did not become free in time. */
export function isLockTimeout(error: unknown): boolean {
	return (error as { code?: unknown } | null)?.code === '55P03';
}

const UNAVAILABLE =
	/^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(UNREACH|DOWN)|57P0[123]|25P03|25006|08\d{3}|53\d{3}|SQLITE_(BUSY|IOERR|FULL|CANTOPEN))/;

/**
 * Tells whether the coordinator of a Citus cluster has refused a statement because a server that it needed for it does not
 * answer. The transaction has changed nothing then, on any server.
 */
export function isOtherServerAway(error: unknown): boolean {
	const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
	return severity === 'ERROR' && typeof code === 'string' && code.startsWith('08');
}

const ENDED_CONNECTION = /(^| - )(Connection (terminated|ended)\b[\w ]*|Client [\w ]+ and is not queryable)$/;

/** Tells whether an error means that the database is unavailable or full, so that a later attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
	const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
	if (typeof code === 'string') return UNAVAILABLE.test(code);
	// pg gives these errors no code, and knex puts the statement in front: `COMMIT; - Connection terminated
	// unexpectedly`.
	return name === 'KnexTimeoutError' || ENDED_CONNECTION.test(String(message));
}

/** Notes of an error that the change which failed may have been stored all the same. */
export function noteMayHaveCommitted(error: Error): void {
	Object.assign(error, { [MAY_HAVE_COMMITTED]: true });
}

const MAY_HAVE_COMMITTED = Symbol('mayHaveCommitted');

/**
 * Tells whether the change that failed with this error may have been stored: the connection to the database was lost when
 * the change was to become durable, and the answer with it.
 */
export function mayHaveCommitted(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	return MAY_HAVE_COMMITTED in error || mayHaveCommitted(error.cause);
}

/** Returns the file of an embedded database from its URL. */
export function sqlitePath(url: string): string {
	return url.replace(/^sqlite:(\/\/)?/, '');
}
