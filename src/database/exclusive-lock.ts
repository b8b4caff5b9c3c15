import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase from 'better-sqlite3';

/** Somebody else holds the lock. */
export class LockedError extends Error {
	override readonly name = 'LockedError';
}

/**
 * Takes a lock that the operating system gives back however this process ends, which a file with a process id in it
 * cannot promise: SQLite's own, on an empty file. @throws LockedError
 */
export function takeExclusiveLock(path: string): { close(): void } {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	const lock = new SqliteDatabase(path, { timeout: 0 });
	try {
		lock.exec('begin exclusive');
	} catch (cause) {
		lock.close();
		throw new LockedError(`${path} is held by another daemon`, { cause });
	}
	return { close: () => lock.close() };
}
