import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { execute } from './sql.ts';

/** This error is thrown if another process holds the lock. */
export class LockedError extends Error {
	override readonly name = 'LockedError';
}

/**
 * Takes a lock that the operating system releases however this process ends; a file with a process id cannot ensure
 * that. It is SQLite's own lock on an empty file, in a folder that exists.
 * @throws LockedError if another process holds the lock, or an error that names the file if it cannot be locked at all
 */
export function takeExclusiveLock(path: string): { close(): void } {
	let lock: SqliteDatabase.Database | undefined;
	try {
		lock = new SqliteDatabase(path, { timeout: 0 });
		return lock.exec('begin exclusive');
	} catch (cause) {
		lock?.close();
		if ((cause as { code?: string }).code === 'SQLITE_BUSY')
			throw new LockedError(`${path} is held by another daemon`, { cause });
		// SQLite's own message does not name the file and sounds like another problem.
		throw new Error(`${path} cannot be locked: ${(cause as Error).message}`, { cause });
	}
}

/**
 * The number of the advisory lock of PostgreSQL that we take. It is arbitrary, but no other program that uses the
 * database may take a lock of the same number.
 */
const LOCK_NUMBER = 7_470_633;
const RETRY_MS = 50;
const WAIT_MS = 60_000;

/** Runs `work` while no other process changes the schema. The lock is released when the process ends in any way. */
export async function withSchemaLock<T>(
	{ knex, dialect, file }: { readonly knex: Knex; readonly dialect: Dialect; readonly file: string | null },
	work: () => Promise<T>,
): Promise<T> {
	if (file !== null) return withFileLock(`${file}.schema-lock`, work);
	if (dialect === 'sqlite') return work();
	return knex.transaction(async (transaction) => {
		await lockSchema(transaction);
		return work();
	});
}

/** Keeps other processes from changing the schema of a PostgreSQL database until the transaction ends. */
export async function lockSchema(transaction: Knex.Transaction): Promise<void> {
	// The transaction may be idle while work runs that it only holds the lock for, so the time limit for idle transactions
	// is switched off.
	await execute(transaction, 'set local idle_in_transaction_session_timeout = 0');
	await execute(transaction, 'select pg_advisory_xact_lock(?)', [LOCK_NUMBER]);
}

async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
	for (const until = performance.now() + WAIT_MS; ; ) {
		let lock: { close(): void };
		try {
			lock = takeExclusiveLock(path);
		} catch (error) {
			if (!(error instanceof LockedError) || performance.now() > until) throw error;
			await sleep(RETRY_MS);
			continue;
		}
		try {
			return await work();
		} finally {
			lock.close();
		}
	}
}
