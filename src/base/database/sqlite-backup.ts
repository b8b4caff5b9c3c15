// Copies a SQLite database that is in use. The copy is a consistent snapshot, even if other processes write meanwhile.

import SqliteDatabase from 'better-sqlite3';
import { migrations } from './migrations/index.ts';

/**
 * This many pages of SQLite's file are copied between two progress reports. The number can be large, because copying
 * blocks nobody.
 */
const PAGES_AT_ONCE = 1024;

/** Copies the database into a new file. Writers continue; later commits are not in the copy. */
export async function backupSqlite(
	file: string,
	target: string,
	onProgress: (pages: number, total: number) => void,
): Promise<void> {
	const source = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
	try {
		// An open transaction keeps the snapshot. Without it every commit of another process would restart the copy.
		source.exec('begin');
		source.prepare('select count(*) from sqlite_master').get();
		await source.backup(target, {
			progress({ totalPages, remainingPages }) {
				onProgress(totalPages - remainingPages, totalPages);
				return PAGES_AT_ONCE;
			},
		});
	} finally {
		source.close();
	}
	// The copy is converted to a single file, because a database with a write-ahead log cannot be read from a directory
	// that cannot be written.
	const copy = new SqliteDatabase(target);
	copy.pragma('journal_mode = DELETE');
	copy.close();
}

export interface SqliteContent {
	/** Lists the defects that SQLite finds in the file; empty if there are none. */
	readonly problems: readonly string[];
	readonly environment: string | undefined;
	readonly auditEntries: number;
	/**
	 * The ids of the blobs that must exist as files besides the database. Left out are uploads in progress, and small
	 * blobs, whose bytes are in the database itself.
	 */
	readonly blobIds: readonly string[];
}

/**
 * Reads a copy without changing it.
 * @throws if the file is not a database
 */
export function readSqliteBackup(file: string): SqliteContent {
	const database = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
	try {
		const found = database.pragma('integrity_check(20)') as { integrity_check: string }[];
		const problems = found.map((row) => row.integrity_check).filter((text) => text !== 'ok');
		const known = new Set(migrations.map(({ name }) => name));
		const applied = database.prepare('select name from schema_migrations').pluck().all() as string[];
		const later = applied.filter((name) => !known.has(name));
		if (later.length > 0) problems.push(`it is of a later version, which added ${later.join(', ')}`);
		return {
			problems,
			environment: database.prepare('select environment from installation').pluck().get() as string | undefined,
			auditEntries: database.prepare('select coalesce(max(seq), 0) from audit').pluck().get() as number,
			blobIds: database
				.prepare(
					`select distinct blob_id from drop_files where state <> 'receiving'
						and blob_id not in (select id from small_blobs)`,
				)
				.pluck()
				.all() as string[],
		};
	} finally {
		database.close();
	}
}
