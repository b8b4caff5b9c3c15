// Makes the connection that the driver opens for knex one on which several threads take turns in writing, whose compiled
// statements are kept, and whose commits are durable without blocking the thread. knex hands each new connection to the
// function `afterCreate` of its pool, and awaits what a statement answers; it needs to know nothing of this.

import type { Knex } from 'knex';
import type { CheckpointedLog, WalSync } from './wal-sync.ts';
import type { WriteTurn } from './write-turn.ts';

/** What only a SQLite database in a file has. */
export interface SqliteParts {
	readonly walSync: WalSync;
	readonly writeTurn: WriteTurn;
}

const partsByKnex = new WeakMap<Knex, SqliteParts>();

/** Returns the parts of a SQLite database in a file; undefined for any other database, and for a transaction. */
export function partsOf(knex: Knex): SqliteParts | undefined {
	return partsByKnex.get(knex);
}

export function setParts(knex: Knex, parts: SqliteParts): void {
	partsByKnex.set(knex, parts);
}

/** Makes everything that was committed durable. On PostgreSQL it already is. */
export async function syncCommits(knex: Knex): Promise<void> {
	await partsOf(knex)?.walSync.sync();
}

export interface Statement {
	/** Whether the statement returns rows. */
	readonly reader: boolean;
	/** Whether the statement neither writes nor takes the write lock. */
	readonly readonly: boolean;
	all(bindings: readonly unknown[]): unknown[];
	run(bindings: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number };
}

/** The part of the driver's connection that is used here. */
export interface SqliteConnection {
	readonly inTransaction: boolean;
	prepare(sql: string): unknown;
}

/** What is kept of a connection: its own way to compile a statement, and the parts of its database. */
interface Shared {
	compile(sql: string): Statement;
	readonly parts: SqliteParts | undefined;
	readonly log: CheckpointedLog;
}

const sharedByConnection = new WeakMap<object, Shared>();

export function isSqlite(connection: object): connection is SqliteConnection {
	return sharedByConnection.has(connection);
}

/**
 * Returns a compiled statement, which runs at once and takes no turn: the caller has it, or only reads. knex compiles the
 * same few statements every time, which costs more than running a short one, so they are kept.
 */
export function prepared(connection: SqliteConnection, sql: string): Statement {
	return sharedByConnection.get(connection)!.compile(sql);
}

/** Changes a new connection so that a writing statement of knex outside a transaction is durable when it resolves. */
export function shareConnection(connection: SqliteConnection, parts: SqliteParts | undefined): void {
	const compile = keepStatements(connection.prepare.bind(connection) as (sql: string) => Statement);
	sharedByConnection.set(connection, { compile, parts, log: logOf(compile) });
	connection.prepare = (sql) => {
		// Every transaction of ours writes, so it takes the write lock at its beginning. Otherwise, if two transactions
		// first read and then write, one of them gets `SQLITE_BUSY`, whatever the busy timeout is.
		const statement = compile(sql === 'BEGIN;' ? 'begin immediate' : sql);
		const run = async <T>(call: () => T): Promise<T> => {
			const result = await inTurn(connection, statement, sql === 'COMMIT;' ? () => committing(connection, call) : call);
			await result.sync?.();
			return result.answer;
		};
		return {
			reader: statement.reader,
			all: (bindings: unknown[]) => run(() => statement.all(bindings)),
			run: (bindings: unknown[]) => run(() => statement.run(bindings)),
		};
	};
}

/** What a statement answered, and the sync that makes it durable if it has committed a change. */
interface InTurn<T> {
	readonly answer: T;
	readonly sync?: () => Promise<void>;
}

/**
 * Runs a statement. One that writes outside a transaction takes the turn. A transaction keeps the turn from its beginning
 * to its end, and has no sync: the caller that began it syncs its commit after it has released the connection, so that
 * others can use the connection meanwhile.
 */
export async function inTurn<T>(connection: SqliteConnection, statement: Statement, call: () => T): Promise<InTurn<T>> {
	const isWithin = connection.inTransaction;
	if (!isWithin && statement.readonly) return { answer: call() };
	const { parts, log } = sharedByConnection.get(connection)!;
	if (!isWithin) await parts?.writeTurn.take();
	let answer: T;
	try {
		answer = call();
		if (!connection.inTransaction) parts?.walSync.checkpoint(log);
	} finally {
		if (!connection.inTransaction) parts?.writeTurn.giveBack();
	}
	if (isWithin || connection.inTransaction) return { answer };
	return { answer, sync: async () => parts?.walSync.sync() };
}

function logOf(compile: (sql: string) => Statement): CheckpointedLog {
	const run = (mode: string) => compile(`pragma wal_checkpoint(${mode})`).all([])[0] as { readonly log: number };
	return { frames: () => run('noop').log, checkpoint: () => void run('passive') };
}

/** Commits. After a failure SQLite may have left the transaction open, and the next one would begin within it. */
function committing<T>(connection: SqliteConnection, commit: () => T): T {
	try {
		return commit();
	} catch (error) {
		if (connection.inTransaction) prepared(connection, 'rollback').run([]);
		throw error;
	}
}

const MAX_STATEMENTS = 500;
/**
 * Statements longer than this are not kept. Inserts of many rows have a different text for every number of rows, and
 * keeping those would push out the others. The longest that comes with every call, what stands beside a card, has 2,100.
 */
const MAX_SQL_CHARACTERS = 4_000;

/**
 * Returns a statement that SQLite plans only once. Where a column is compared with a value and rows are sorted or joined,
 * SQLite looks at the value for a better plan, and so plans the statement anew for each value, which takes up to thirty
 * times as long as finding the row. It does not look at the result of an operator, and a plus sign changes nothing.
 */
function planned(sql: string): string {
	return sql.replaceAll(/(= |is not distinct from )\?/g, '$1+?');
}

/** Keeps compiled statements. SQLite compiles a kept statement again by itself when the schema changes. */
function keepStatements(compile: (sql: string) => Statement): (sql: string) => Statement {
	const known = new Map<string, Statement>();
	return (sql) => {
		const remembered = known.get(sql);
		const statement = remembered ?? compile(planned(sql));
		if (sql.length > MAX_SQL_CHARACTERS) return statement;
		// A statement that is used again moves to the end of the map. If the map is full, the first one, which was not used
		// for the longest time, is removed.
		if (remembered !== undefined) known.delete(sql);
		else if (known.size === MAX_STATEMENTS) known.delete(known.keys().next().value as string);
		known.set(sql, statement);
		return statement;
	};
}
