import SqliteDatabase from 'better-sqlite3';

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
	const lock = openLockFile(path);
	try {
		lock.exec('begin exclusive');
	} catch (cause) {
		lock.close();
		if ((cause as { code?: string }).code === 'SQLITE_BUSY')
			throw new LockedError(`${path} is held by another daemon`, { cause });
		throw unusable(path, cause);
	}
	return { close: () => lock.close() };
}

function openLockFile(path: string): SqliteDatabase.Database {
	try {
		return new SqliteDatabase(path, { timeout: 0 });
	} catch (cause) {
		throw unusable(path, cause);
	}
}

/** Makes an error that names the file, because SQLite's message does not and sounds like another problem. */
function unusable(path: string, cause: unknown): Error {
	return new Error(`${path} cannot be locked: ${(cause as Error).message}`, { cause });
}
