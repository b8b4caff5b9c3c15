import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { LockedError, takeExclusiveLock } from './exclusive-lock.ts';
import { execute } from './sql.ts';

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
