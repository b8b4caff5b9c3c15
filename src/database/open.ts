// One way to a database for every room: SQLite inside the data directory, or PostgreSQL. What differs between
// the two stands in dialect.ts; everything else goes through knex.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import knexModule, { type Knex } from 'knex';
import pg from 'pg';
import { type Dialect, dialectOf, sqlitePath } from './dialect.ts';
import { migrations } from './migrations/index.ts';
import { withSchemaLock } from './schema-lock.ts';
import { cacheStatements } from './statement-cache.ts';

export interface Database {
	readonly knex: Knex;
	readonly dialect: Dialect;
	/** Where SQLite keeps the database; null on PostgreSQL and for one in memory. */
	readonly file: string | null;
	/** Asks the database for nothing, to see that it answers. */
	ping(): Promise<void>;
	/** Ends every connection; the second call does nothing. */
	close(): Promise<void>;
}

export interface DatabaseOptions {
	/** `sqlite:/path/to/file`, a plain path, or `postgres://…`. */
	readonly url: string;
	/** PostgreSQL only: most connections held at once. */
	readonly maxConnections?: number;
}

/** Opens a database and checks nothing: `findMissingMigrations` and `requireKnownMigrations` say whether its schema fits. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
	const dialect = dialectOf(options.url);
	const knex = dialect === 'sqlite' ? openSqlite(options.url) : openPostgres(options);
	let isClosed = false;
	const file = dialect === 'sqlite' ? sqlitePath(options.url) : null;
	return {
		knex,
		dialect,
		file: file === ':memory:' ? null : file,
		async ping() {
			await knex.raw('select 1');
		},
		async close() {
			if (isClosed) return;
			isClosed = true;
			await knex.destroy();
		},
	};
}

/** knex prints what it also throws: stacks in the place of an error's sentence, and lines that are no JSON in the log. */
const SILENT = { warn() {}, error() {}, debug() {}, deprecate() {} };

function openSqlite(url: string): Knex {
	const filename = sqlitePath(url);
	if (filename !== ':memory:') requireUsable(filename);
	return knexModule({
		client: 'better-sqlite3',
		log: SILENT,
		// Or errors would quote the values of the statement that failed.
		compileSqlOnError: false,
		connection: { filename },
		useNullAsDefault: true,
		pool: {
			// One connection a thread: SQLite has one writer, and a transaction holds the connection anyway.
			min: 1,
			max: 1,
			afterCreate(connection: SqliteConnection, done: (error: unknown, connection: SqliteConnection) => void) {
				connection.pragma('page_size = 8192');
				connection.pragma('journal_mode = WAL');
				connection.pragma('synchronous = FULL');
				connection.pragma('foreign_keys = ON');
				connection.pragma('busy_timeout = 15000');
				// Deleted cards leave no bytes behind in free pages.
				connection.pragma('secure_delete = FAST');
				connection.pragma('cache_size = -16384');
				cacheStatements(connection);
				done(null, connection);
			},
		},
	});
}

/** SQLite itself says neither which file it is nor what is wrong with it. @throws Error that says so */
function requireUsable(filename: string): void {
	const folder = dirname(filename);
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
		if (existsSync(filename)) accessSync(filename, constants.R_OK | constants.W_OK);
	} catch (cause) {
		const { code } = cause as NodeJS.ErrnoException;
		throw new Error(`the database ${filename} cannot be read and written by this process: ${code}`, { cause });
	}
}

interface SqliteConnection {
	pragma(text: string): unknown;
	prepare(sql: string): unknown;
}

interface PgConnection {
	query(sql: string): Promise<unknown>;
}

const INT8_OID = 20;
const IDLE_TRANSACTION_MS = 10_000;

function openPostgres(options: DatabaseOptions): Knex {
	const parsers = {
		getTypeParser(oid: number, format?: 'text' | 'binary') {
			// Ids and times fit a double exactly (page ids have 48 bits); strings would be a trap for callers.
			if (oid === INT8_OID && format !== 'binary') return (text: string) => Number(text);
			return pg.types.getTypeParser(oid, format as 'text');
		},
	};
	return knexModule({
		client: 'pg',
		log: SILENT,
		compileSqlOnError: false,
		connection: { connectionString: options.url, types: parsers as never, application_name: 'tokendrop' },
		pool: {
			min: 0,
			max: options.maxConnections ?? 10,
			afterCreate(connection: PgConnection, done: (error: unknown, connection: PgConnection) => void) {
				// A daemon that hangs or whose machine is gone holds its locks until then, the head of the audit trail among
				// them, for which all others wait.
				connection
					.query(`set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`)
					.then(() => done(null, connection))
					.catch((error: unknown) => done(error, connection));
			},
		},
		acquireConnectionTimeout: 10_000,
	});
}

/**
 * Brings the schema up to date; safe to call from several processes at once, and after one that was killed in the middle.
 * Returns the names applied.
 */
export async function migrate(database: Database): Promise<string[]> {
	return withSchemaLock(database, async () => {
		await requireKnownMigrations(database);
		const config = migrationConfig(database.dialect);
		// knex keeps a lock of its own in a row, which a killed process never gives back; ours is the one that counts.
		await database.knex.migrate.forceFreeMigrationsLock(config);
		const [, applied] = (await database.knex.migrate.latest(config)) as [number, string[]];
		return applied;
	});
}

/** Names of migrations this build knows and the database lacks, oldest first. Only looks: knex's own list makes tables. */
export async function findMissingMigrations(database: Database): Promise<string[]> {
	const applied = new Set(await appliedMigrations(database));
	return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
}

/** @throws Error when a later version has been at the database, whose rows this one might misread or spoil */
export async function requireKnownMigrations(database: Database): Promise<void> {
	const known = new Set(migrations.map(({ name }) => name));
	const unknown = (await appliedMigrations(database)).filter((name) => !known.has(name));
	if (unknown.length === 0) return;
	throw new Error(`the database is of a later version, which added ${unknown.join(', ')}: run that one or a later one`);
}

async function appliedMigrations({ knex }: Database): Promise<string[]> {
	if (!(await knex.schema.hasTable(MIGRATION_TABLE))) return [];
	return knex(MIGRATION_TABLE).orderBy('id').pluck('name');
}

const MIGRATION_TABLE = 'schema_migrations';

function migrationConfig(dialect: Dialect): Knex.MigratorConfig {
	return {
		tableName: MIGRATION_TABLE,
		migrationSource: {
			getMigrations: async () => migrations,
			getMigrationName: (migration: (typeof migrations)[number]) => migration.name,
			getMigration: async (migration: (typeof migrations)[number]) => ({
				up: (knex: Knex) => migration.up(knex, dialect),
				down: async () => {
					throw new Error('migrations only go forward: restore a backup instead');
				},
			}),
		},
	};
}
