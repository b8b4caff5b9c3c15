// Opens the database, SQLite inside the data directory or PostgreSQL. dialect.ts contains the differences between the
// two; everything else uses knex.

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import knexModule, { type Knex } from 'knex';
import { makeFolder } from '../durable-files.ts';
import { dialectOf, sqlitePath } from './dialect.ts';
import { openPostgres, readRole, type ServerRole } from './postgres/host-choice.ts';
import { execute, withConnection } from './sql.ts';
import { type SqliteParts, setParts, shareConnection } from './sqlite-connection.ts';
import { UnsyncedError, WalFile, WalSync } from './wal-sync.ts';
import { threadMemory, WriteTurn } from './write-turn.ts';

export interface DatabaseServer extends ServerRole {
	/** The host and port as the URL of the database names them. */
	readonly host: string;
}

export interface DatabaseOptions {
	/** The database as `sqlite:/path/to/file`, a plain path, or `postgres://…`, which may name several hosts. */
	readonly url: string;
	/** The largest number of connections, for PostgreSQL only. */
	readonly maxConnections?: number;
	/** The `writeTurn` of the thread that opened the same file first. */
	readonly writeTurn?: SharedArrayBuffer;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Opens a database without checking its schema; `readSchema` does that. */
export async function openDatabase(options: DatabaseOptions) {
	const dialect = dialectOf(options.url);
	const path = dialect === 'sqlite' ? sqlitePath(options.url) : null;
	const file = path === ':memory:' ? null : path;
	const log = file === null ? undefined : new WalFile(file);
	const shared = options.writeTurn ?? threadMemory();
	const parts = log && { walSync: new WalSync(() => log.flush(), shared), writeTurn: new WriteTurn(shared) };
	// A thread that gets the memory of another one opens the database after it.
	const openLog = (connection: NewConnection) => (options.writeTurn ? log?.open() : openAnew(connection, log));
	if (file !== null) await requireUsable(file);
	const postgres = path === null ? openPostgres(options, QUIET) : undefined;
	const knex = postgres?.knex ?? openSqlite(path!, parts, openLog);
	let isClosed = false;
	return {
		knex,
		dialect,
		/** The file of SQLite's database; null on PostgreSQL and for a database in memory. */
		file,
		/**
		 * The shared memory through which the threads of this process take turns in writing, and tell each other when the disk
		 * has failed. Each other thread gets it as `DatabaseOptions.writeTurn`. Undefined without a file.
		 */
		writeTurn: parts && shared,
		/**
		 * Resolves to the error after which this process must end, when a sync of the database has failed in any of its
		 * threads. On PostgreSQL the server ends itself instead, and this never resolves.
		 */
		unsynced: () => parts?.walSync.failed() ?? new Promise(() => {}),
		/** Sends an empty query to see whether the database answers. */
		async ping(): Promise<void> {
			await execute(knex, 'select 1');
		},
		/**
		 * Returns the server of PostgreSQL that is in use; undefined on SQLite. A pooler in between is named in its place, with
		 * the role of the server behind it.
		 */
		async findServer(): Promise<DatabaseServer | undefined> {
			if (!postgres) return undefined;
			return { host: postgres.hosts.host.name, ...(await withConnection(knex, readRole)) };
		},
		/** True if the URL names several servers of PostgreSQL, of which one is in use. */
		hasSeveralHosts: postgres?.hosts.areSeveral ?? false,
		/** Looks at every server that the URL of PostgreSQL names; there are none on SQLite. */
		findHosts: async () => postgres?.hosts.lookAtAll() ?? [],
		/** Closes every connection; a second call does nothing. */
		async close(): Promise<void> {
			if (isClosed) return;
			isClosed = true;
			await (postgres ?? { close: () => knex.destroy() }).close();
			log?.close();
		},
	};
}

/**
 * knex also prints the errors that it throws, as stacks and as lines that are not JSON, so its own log is switched off.
 */
const SILENT = { warn() {}, error() {}, debug() {}, deprecate() {} };
/** With the second option errors do not quote the values of the failed statement. */
const QUIET = { log: SILENT, compileSqlOnError: false };

/** Opens a SQLite database. `openLog` is called when the database has a write-ahead log. */
function openSqlite(
	filename: string,
	sqliteParts: SqliteParts | undefined,
	openLog: (connection: NewConnection) => void,
): Knex {
	const knex = knexModule({
		client: 'better-sqlite3',
		...QUIET,
		connection: { filename },
		useNullAsDefault: true,
		pool: {
			// Each thread has one connection, because SQLite has one writer and a transaction holds the connection anyway.
			min: 1,
			max: 1,
			afterCreate(connection: NewConnection, done: (error: unknown, connection: NewConnection) => void) {
				connection.pragma('page_size = 8192');
				const mode = connection.pragma('journal_mode = WAL', { simple: true });
				// `WalSync` syncs the write-ahead log after commits. On a file system where SQLite cannot use such a log,
				// SQLite itself syncs every commit.
				if (mode !== 'wal') sqliteParts?.walSync.disable();
				connection.pragma(`synchronous = ${mode === 'wal' ? 'NORMAL' : 'FULL'}`);
				connection.pragma('foreign_keys = ON');
				connection.pragma('busy_timeout = 15000');
				// With this setting SQLite overwrites deleted cards in pages that stay in use. Pages that become free keep
				// their bytes.
				connection.pragma('secure_delete = FAST');
				connection.pragma('cache_size = -16384');
				if (mode === 'wal') {
					// `WalSync` does this, because SQLite would go on after a sync that failed.
					if (sqliteParts) connection.pragma('wal_autocheckpoint = 0');
					openLog(connection);
				}
				shareConnection(connection, sqliteParts);
				done(null, connection);
			},
		},
	});
	if (sqliteParts) setParts(knex, sqliteParts);
	return knex;
}

/**
 * Checks that the file of a database can be used, because SQLite's own errors name neither the file nor the cause.
 * @throws Error that names the file and the cause
 */
async function requireUsable(filename: string): Promise<void> {
	const folder = dirname(filename);
	try {
		if (!existsSync(folder)) await makeFolder(folder);
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
		if (existsSync(filename)) accessSync(filename, constants.R_OK | constants.W_OK);
	} catch (cause) {
		const { code } = cause as NodeJS.ErrnoException;
		throw new Error(`the database ${filename} cannot be read and written by this process: ${code}`, { cause });
	}
}

/**
 * Opens the log, and makes durable what an earlier process has left in it, whatever happened when that process synced
 * it. No other process may write meanwhile, so this takes the write lock, which also creates the file of the log.
 * @throws UnsyncedError if the disk still fails
 */
function openAnew(connection: NewConnection, log: WalFile | undefined): void {
	connection.prepare('begin immediate').run();
	try {
		log?.open();
		log?.writeAnew();
	} catch (cause) {
		throw new UnsyncedError({ cause });
	} finally {
		connection.prepare('rollback').run();
	}
}

interface NewConnection {
	readonly inTransaction: boolean;
	pragma(text: string, options?: { simple: true }): unknown;
	prepare(sql: string): { run(): unknown };
}
