// Every difference between SQLite and PostgreSQL that our SQL cannot avoid.

import type { Knex } from 'knex';

export type Dialect = 'sqlite' | 'postgres';

/** Which database a URL means; anything that is not PostgreSQL's scheme is a SQLite file. */
export function dialectOf(url: string): Dialect {
	return /^postgres(ql)?:\/\//.test(url) ? 'postgres' : 'sqlite';
}

/** Clause that makes a `select` of queue rows skip those another daemon holds; SQLite has one writer and needs none. */
export function skipLockedClause(dialect: Dialect): string {
	return dialect === 'postgres' ? 'for update skip locked' : '';
}

/** Clause that locks the rows a transaction is about to change. */
export function forUpdateClause(dialect: Dialect): string {
	return dialect === 'postgres' ? 'for update' : '';
}

/**
 * Takes SQLite's write lock before the first read of a transaction. Without it two writers that both read first
 * end in `SQLITE_BUSY` for one of them, whatever the busy timeout.
 */
export async function transact<T>(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	if (database.dialect === 'postgres') return database.knex.transaction(work);
	return database.knex.transaction(async (transaction) => {
		// knex has said BEGIN (deferred); a write that changes nothing upgrades it at once, waiting its turn.
		await transaction.raw('update schema_migrations set batch = batch where id < 0');
		return work(transaction);
	});
}

const TRIES = 3;

/** Again when somebody else took a name in between, by renaming a file to it: the next look finds that one. */
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

/** The rows of a raw statement's answer: knex gives the array on SQLite, and on PostgreSQL pg's result that has it. */
export function rowsOf<Row>(answer: unknown): Row[] {
	return Array.isArray(answer) ? answer : (answer as { rows: Row[] }).rows;
}

/** Whether an error says that a unique index already holds the row. */
export function isUniqueViolation(error: unknown): boolean {
	const code = (error as { code?: unknown } | null)?.code;
	return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY';
}

const UNAVAILABLE =
	/^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|E(HOST|NET)(UNREACH|DOWN)|57P0[123]|25P03|08\d{3}|53\d{3}|SQLITE_(BUSY|IOERR|FULL|CANTOPEN))/;

const ENDED_CONNECTION = /(^| - )(Connection (terminated|ended)\b[\w ]*|Client [\w ]+ and is not queryable)$/;

/** Whether an error means that the database is away or full, so that trying again later is right. */
export function isUnavailable(error: unknown): boolean {
	const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
	if (typeof code === 'string') return UNAVAILABLE.test(code);
	// pg gives these no code, and knex puts the statement before them: `COMMIT; - Connection terminated unexpectedly`.
	return name === 'KnexTimeoutError' || ENDED_CONNECTION.test(String(message));
}

/** The file of an embedded database, by its URL. */
export function sqlitePath(url: string): string {
	return url.replace(/^sqlite:(\/\/)?/, '');
}
