// A fresh, migrated database for a test, on either dialect. Copied from one that was migrated once: a template database
// in the shared PostgreSQL, a template file for SQLite.

import { createHash } from 'node:crypto';
import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Dialect } from '../../src/database/dialect.ts';
import { type Database, migrate, openDatabase } from '../../src/database/open.ts';
import { postgresServerUrl } from './postgres-server.ts';

/** For macros: tests of stores, migrations, transactions, claims and races run on both. */
export const databases = ['sqlite', 'postgres'] as const satisfies readonly Dialect[];

/**
 * For tests that use a database but whose point is no SQL, such as answers, texts and seals: PostgreSQL takes part in
 * `npm run test:long` alone.
 */
export const dialects: readonly Dialect[] = process.env.TOKENDROP_TEST_LONG === '1' ? databases : ['sqlite'];

export type TestDatabase = Database & { readonly url: string };

/** Opens a migrated database of its own for one test; closed and removed when the test ends. */
export async function openTestDatabase(t: ExecutionContext<unknown>, dialect: Dialect): Promise<TestDatabase> {
	const { url, remove } = dialect === 'sqlite' ? await copySqlite() : await copyPostgres();
	const database = await openDatabase({ url });
	t.teardown(async () => {
		await database.close();
		await remove();
	});
	return { ...database, url };
}

interface Copy {
	readonly url: string;
	remove(): Promise<void>;
}

let sqliteTemplate: Promise<string> | undefined;

async function copySqlite(): Promise<Copy> {
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const path = join(directory, 'tokendrop.db');
	await placeMigratedSqlite(path);
	return { url: `sqlite:${path}`, remove: async () => rmSync(directory, { recursive: true, force: true }) };
}

/** Puts a migrated database there: a start finds nothing to migrate, which is much of what the first one does. */
export async function placeMigratedSqlite(path: string): Promise<void> {
	sqliteTemplate ??= findOrMakeSqliteTemplate();
	copyFileSync(await sqliteTemplate, path);
	// As a daemon makes it.
	chmodSync(path, 0o600);
}

/** One for all test processes, named after the text of the migrations. */
async function findOrMakeSqliteTemplate(): Promise<string> {
	const path = join(tmpdir(), `tokendrop-template-${process.getuid?.() ?? 0}-${migrationsDigest()}.db`);
	if (existsSync(path)) return path;
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const draft = join(directory, 'template.db');
	const database = await openDatabase({ url: `sqlite:${draft}` });
	await migrate(database);
	await database.close();
	// Takes its name only when it is complete; another process may have been faster, with the same content.
	renameSync(draft, path);
	rmSync(directory, { recursive: true, force: true });
	return path;
}

let postgresTemplate: Promise<string> | undefined;
let copies = 0;

async function copyPostgres(): Promise<Copy> {
	const server = await postgresServerUrl();
	postgresTemplate ??= findOrMakePostgresTemplate(server);
	const template = await postgresTemplate;
	const name = `tokendrop_test_${process.pid}_${++copies}_${Date.now().toString(36)}`;
	// Copying files costs a third of writing the copy to the log, which is the default.
	const copy = `create database ${name} template ${template} strategy file_copy`;
	await asAdministrator(server, (client) => client.query(copy));
	return {
		url: withDatabase(server, name),
		// By force: a test that leaks a connection must not leave its database behind.
		remove: () => asAdministrator(server, (client) => client.query(`drop database ${name} with (force)`)),
	};
}

/** Named after the text of the migrations, so that a checkout that moves on never meets an old schema. */
async function findOrMakePostgresTemplate(server: string): Promise<string> {
	const name = `tokendrop_template_${migrationsDigest()}`;
	await asAdministrator(server, async (client) => {
		await client.query(`select pg_advisory_lock(hashtext('${name}'))`);
		const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
		if (rowCount) return;
		// Takes its name only when it is complete: whoever dies halfway leaves no half schema under it.
		const draft = `${name}_draft`;
		await client.query(`drop database if exists ${draft} with (force)`);
		await client.query(`create database ${draft} template template0`);
		const database = await openDatabase({ url: withDatabase(server, draft) });
		await migrate(database).finally(() => database.close());
		await client.query(`alter database ${draft} rename to ${name}`);
	});
	return name;
}

function migrationsDigest(): string {
	const directory = new URL('../../src/database/migrations/', import.meta.url);
	const hash = createHash('sha256');
	for (const file of readdirSync(directory).sort()) hash.update(file).update(readFileSync(new URL(file, directory)));
	return hash.digest('hex').slice(0, 12);
}

async function asAdministrator(server: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
	const client = new pg.Client({ connectionString: server });
	await client.connect();
	try {
		await work(client);
	} finally {
		await client.end();
	}
}

function withDatabase(server: string, name: string): string {
	const url = new URL(server);
	url.pathname = `/${name}`;
	return url.href;
}
