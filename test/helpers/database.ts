// Makes a fresh, migrated database for a test, with either dialect. It is a copy of one that was migrated once: a
// template database in the shared PostgreSQL, a template file for SQLite.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Dialect } from '../../src/database/dialect.ts';
import { type Database, migrate, openDatabase } from '../../src/database/open.ts';
import { postgresServerUrl } from './postgres-server.ts';

/** Lists both dialects, for macros that run the tests of every store on each. */
export const databases = ['sqlite', 'postgres'] as const satisfies readonly Dialect[];

export type TestDatabase = Database & { readonly url: string };

/** Opens a migrated database for one test; it is closed and removed when the test ends. */
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
	sqliteTemplate ??= findOrMakeSqliteTemplate();
	const template = await sqliteTemplate;
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const path = join(directory, 'tokendrop.db');
	copyFileSync(template, path);
	return { url: `sqlite:${path}`, remove: async () => rmSync(directory, { recursive: true, force: true }) };
}

/** The template file is the same for all test processes. It is named after the text of the migrations. */
async function findOrMakeSqliteTemplate(): Promise<string> {
	const path = join(tmpdir(), `tokendrop-template-${process.getuid?.() ?? 0}-${migrationsDigest()}.db`);
	if (existsSync(path)) return path;
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const draft = join(directory, 'template.db');
	const database = await openDatabase({ url: `sqlite:${draft}` });
	await migrate(database);
	await database.close();
	// The file gets its name only when it is complete. Another process may have been faster, with the same content.
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
	await asAdministrator(server, (client) => client.query(`create database ${name} template ${template}`));
	return {
		url: withDatabase(server, name),
		// The database is dropped by force, so that it goes even if the test has left a connection open.
		remove: () => asAdministrator(server, (client) => client.query(`drop database ${name} with (force)`)),
	};
}

/**
 * The template is named after the text of the migrations, so that a checkout with newer ones never uses an old schema.
 */
async function findOrMakePostgresTemplate(server: string): Promise<string> {
	const name = `tokendrop_template_${migrationsDigest()}`;
	await asAdministrator(server, async (client) => {
		await client.query(`select pg_advisory_lock(hashtext('${name}'))`);
		const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
		if (rowCount) return;
		// The template gets its name only when it is complete, so that a process that dies before leaves no half schema
		// under that name.
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
