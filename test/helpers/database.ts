// Opens a fresh database for a test, on either dialect. It is copied from one that was filled once: a template database in
// the shared PostgreSQL, or a template file for SQLite.

import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import { migrate } from '../../src/base/database/schema.ts';
import { citusServers, closeOnCitus, createOnCitus, dropOnEach, onEach, withDatabase } from './citus.ts';
import { CITUS_URL } from './citus-url.ts';
import { perhapsThroughPooler } from './pgbouncer.ts';
import { postgresServerUrl } from './postgres-server.ts';

/** Where a Citus cluster is named, tests are about that alone. */
const both: readonly Dialect[] = CITUS_URL === undefined ? ['sqlite', 'postgres'] : ['postgres'];
const sqliteAlone: readonly Dialect[] = CITUS_URL === undefined ? ['sqlite'] : both;

/**
 * The dialects of tests of stores, migrations, transactions, claims and races: both, but for a plain `npm test`, which takes
 * PostgreSQL only where `coreDatabases` stands, because its server takes the processor too.
 */
export const databases = process.env.TOKENDROP_TEST_PLAIN === '1' ? sqliteAlone : both;

/** The dialects of tests that go through both databases in every run, so that none leaves out PostgreSQL as a whole. */
export const coreDatabases = both;

/**
 * The dialects of tests that use a database but whose point is not SQL, such as tests of answers, texts and seals. They run
 * on PostgreSQL only in `npm run test:long`.
 */
export const dialects = process.env.TOKENDROP_TEST_LONG === '1' ? both : sqliteAlone;

export type TestDatabase = Database & { readonly url: string };

/** Describes a database from which those of tests are copied. */
export interface Template {
	readonly name: string;
	/** Folders below `src/` whose code decides what the template contains. If it changes, a new template is made. */
	readonly sources: readonly string[];
	fill(database: Database): Promise<unknown>;
}

const migrated: Template = {
	name: 'migrated',
	sources: ['base/database/migrations'],
	fill: (database) => migrate(database),
};

/** A database without tables, as an administrator has made it. */
export const empty: Template = { name: 'empty', sources: [], fill: async () => {} };

/** Opens a database for one test alone, by default a migrated one. It is closed and removed when the test ends. */
export async function openTestDatabase(
	t: ExecutionContext<unknown>,
	dialect: Dialect,
	template = migrated,
): Promise<TestDatabase> {
	const { url, remove } = dialect === 'sqlite' ? await copySqlite(template) : await copyPostgres(template);
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

const sqliteTemplates = new Map<Template, Promise<string>>();

async function copySqlite(template: Template): Promise<Copy> {
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const path = join(directory, 'tokendrop.db');
	await placeSqlite(path, template);
	return { url: `sqlite:${path}`, remove: async () => rmSync(directory, { recursive: true, force: true }) };
}

/** Puts a migrated database at a path. It spares the first start the migrations, which are much of its work. */
export async function placeMigratedSqlite(path: string): Promise<void> {
	await placeSqlite(path, migrated);
}

async function placeSqlite(path: string, template: Template): Promise<void> {
	const found = sqliteTemplates.get(template) ?? findOrMakeSqliteTemplate(template);
	sqliteTemplates.set(template, found);
	copyFileSync(await found, path);
	// A daemon gives its database the same mode.
	chmodSync(path, 0o600);
}

/** Returns the path of a template that all test processes share, and makes it if there is none. */
async function findOrMakeSqliteTemplate(template: Template): Promise<string> {
	const path = join(tmpdir(), `tokendrop-${template.name}-${process.getuid?.() ?? 0}-${digestOf(template)}.db`);
	if (existsSync(path)) return path;
	const directory = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	const draft = join(directory, 'template.db');
	const database = await openDatabase({ url: `sqlite:${draft}` });
	await template.fill(database);
	await database.close();
	// The file takes its name only when it is complete. If another process was faster, the content is the same.
	renameSync(draft, path);
	rmSync(directory, { recursive: true, force: true });
	return path;
}

const postgresTemplates = new Map<Template, Promise<string>>();
let copies = 0;

async function copyPostgres(template: Template): Promise<Copy> {
	const server = await postgresServerUrl();
	const found = postgresTemplates.get(template) ?? findOrMakePostgresTemplate(server, template);
	postgresTemplates.set(template, found);
	const name = `tokendrop_test_${process.pid}_${++copies}_${Date.now().toString(36)}`;
	const servers = await serversOf(server);
	// To copy the files takes a third of the time of the default, which writes the copy to the log.
	await onEach(servers, `create database ${name} template ${await found} strategy file_copy`);
	return {
		url: await perhapsThroughPooler(withDatabase(server, name)),
		// The database is dropped by force, because a test that leaks a connection must not leave it behind.
		remove: () => dropOnEach(servers, name),
	};
}

/** Returns the servers that a database of a test is on: one, or all of a cluster. */
async function serversOf(server: string): Promise<string[]> {
	return CITUS_URL === undefined ? [server] : citusServers(server);
}

async function findOrMakePostgresTemplate(server: string, template: Template): Promise<string> {
	const name = `tokendrop_${template.name}_${digestOf(template)}`;
	await asAdministrator(server, async (client) => {
		await client.query(`select pg_advisory_lock(hashtext('${name}'))`);
		const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
		if (rowCount) return;
		// The database takes its name only when it is complete, so that a process that dies halfway leaves no half schema
		// under that name.
		const draft = `${name}_draft`;
		const servers = await serversOf(server);
		await onEach(servers, `drop database if exists ${draft} with (force)`);
		if (CITUS_URL === undefined) await client.query(`create database ${draft} template template0`);
		else await createOnCitus(servers, draft);
		const database = await openDatabase({ url: withDatabase(server, draft) });
		await template.fill(database).finally(() => database.close());
		if (CITUS_URL !== undefined) await closeOnCitus(servers, draft);
		await onEach(servers, `alter database ${draft} rename to ${name}`);
	});
	return name;
}

function digestOf({ sources }: Template): string {
	const hash = createHash('sha256');
	const spread = CITUS_URL === undefined ? [] : ['base/database/citus'];
	for (const folder of [...sources, ...spread]) {
		const directory = new URL(`../../src/${folder}/`, import.meta.url);
		for (const file of globSync('*.ts', { cwd: directory }).sort()) {
			hash.update(file).update(readFileSync(new URL(file, directory)));
		}
	}
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
