// Everything moves from SQLite to PostgreSQL and back, compared row by row. A move that is cut off leaves the old database
// as it was and nothing in the new one.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Database, openDatabase } from '../../src/base/database/open.ts';
import { listTables, readCounter } from '../../src/base/database/table-copy.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { daemonStore } from '../../src/installation/daemons/daemon-store.ts';
import { moveDatabase } from '../../src/installation/move/move-database.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { empty, openTestDatabase } from '../helpers/database.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

const CARDS = 'CardNumber,ExpirationMonth,ExpirationYear,CVV,Reference\n';
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005'];
const FILE = CARDS + Array.from({ length: 200 }, (_, i) => `${NUMBERS[i % 3]},12,2031,,REF-${i}\n`).join('');
const NAMED = ['--user-id', 'agency', '--filter', 'SIMPLECSV'];

function folderOf(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-move-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Makes an installation with cards, keys of every kind that has booleans or numbers, and rows that were removed again. */
async function fill(run: CommandRunner, folder: string): Promise<string> {
	await run('account', 'create', '--user-id', 'agency', '--cvv-retention');
	await run('account', 'create', '--user-id', 'desk', '--parent', 'agency', '--kind', 'sub-user');
	await run('api-key', 'create', '--user-id', 'agency', '--expires', '90d');
	await run('api-key', 'create', '--user-id', 'agency');
	await run('api-key', 'revoke', '--user-id', 'agency', '--id', '4');
	await run('origin', 'add', '--user-id', 'agency', 'https://shop.example');
	await run('portal-user', 'add', '--user-id', 'agency', '--name', 'clerk@example.com', '--role', 'clerk');
	const [clear, tokens] = ['clear.csv', 'tokens.csv'].map((name) => join(folder, name));
	writeFileSync(clear, FILE);
	const done = await run('file', 'tokenize', ...NAMED, clear, tokens);
	if (done.code !== 0) throw new Error(done.stderr);
	return tokens;
}

async function comesBack(t: ExecutionContext, run: CommandRunner, tokens: string, back: string) {
	const done = await run('file', 'detokenize', ...NAMED, tokens, back);
	t.is(done.code, 0, done.stderr);
	t.is(readFileSync(back, 'utf8'), FILE);
	t.true((await run('audit', 'verify')).json.isWhole);
	const { json } = await run('doctor');
	const wrong = json.findings.filter(({ state }: { state: string }) => state === 'problem');
	t.deepEqual(wrong, []);
}

/** Returns an empty PostgreSQL database, its URL without the password, and a file with the password. */
async function emptyPostgres(t: ExecutionContext, folder: string) {
	const { url, knex } = await openTestDatabase(t, 'postgres', empty);
	const bare = new URL(url);
	const passwordFile = join(folder, 'password');
	writeFileSync(passwordFile, decodeURIComponent(bare.password) || 'none', { mode: 0o600 });
	bare.password = '';
	return { url, bare: bare.href, passwordFile, knex };
}

/** Makes an API key and returns its number, which the database counts up. */
async function newKeyId(run: CommandRunner): Promise<number> {
	await run('api-key', 'create', '--user-id', 'desk');
	return (await run('api-key', 'list', '--user-id', 'desk')).json.at(-1).id;
}

const tablesOf = async (knex: Database['knex']) =>
	(await knex.raw(`select 1 from information_schema.tables where table_schema = 'public'`)).rows.length;

test('everything moves from SQLite to PostgreSQL and back, and every token works', async (t) => {
	const folder = folderOf(t);
	const run = openCommandRunner(t);
	const tokens = await fill(run, folder);
	const { url, bare, passwordFile } = await emptyPostgres(t, folder);
	const moved = await run('database', 'move', '--to', bare, '--password-file', passwordFile);
	t.is(moved.code, 0, moved.stderr);
	t.like(moved.json, { to: bare, tokens: 200, damagedPages: 0 });
	t.true(moved.json.rows > 30 && moved.json.tables > 40);

	const old = await run('account', 'list');
	t.is(old.code, 1);
	t.regex(old.json.error.message, /everything in this database was moved to postgres:.*: name that one in databaseUrl/);
	const there = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url, TOKENDROP_DATA_DIR: run.dataDir });
	await comesBack(t, there, tokens, join(folder, 'back.csv'));
	t.is(await newKeyId(there), 5, 'numbers go on after those that were given');
	const entries = await openDatabase({ url }).then(async (database) => {
		const rows = await database.knex('audit').where({ action: 'database.move' });
		await database.close();
		return rows;
	});
	t.is(entries.length, 1);

	const taken = await there('database', 'move', '--to', `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}`);
	t.is(taken.code, 1);
	t.regex(taken.json.error.message, /exists already: a database is only moved into a new one/);
	const file = join(folder, 'new.sqlite');
	const again = await there('database', 'move', '--to', `sqlite:${file}`);
	t.is(again.code, 0, again.stderr);
	t.is(again.json.tokens, 200);
	t.deepEqual([`${file}-wal`, `${file}-shm`, `${file}.partial`].map(existsSync), [false, false, false]);
	const home = openCommandRunner(t, { TOKENDROP_DATABASE_URL: `sqlite:${file}`, TOKENDROP_DATA_DIR: run.dataDir });
	await comesBack(t, home, tokens, join(folder, 'home.csv'));
	t.is(await newKeyId(home), 6);
	t.is((await there('account', 'list')).code, 1);
});

test('a move is refused into a database with tables, beside a daemon, with a password in the URL, and to the same kind', async (t) => {
	const folder = folderOf(t);
	const { installation, daemon } = await startInstallation(t);
	const { url, bare, passwordFile, knex } = await emptyPostgres(t, folder);
	const move = async (...options: string[]) => {
		const { code, stderr } = await installation.command('database', 'move', ...options);
		return { code, says: JSON.parse(stderr).error.message as string };
	};
	const to = ['--to', bare, '--password-file', passwordFile];
	t.regex((await move(...to)).says, /daemon\.lock is held by another daemon/);
	t.is(await daemon.stop(), 0);
	const secret = new URL(url);
	secret.password = 'hidden';
	const shown = await move('--to', secret.href);
	t.is(shown.code, 78);
	t.regex(shown.says, /no password on a command line/);
	t.false(shown.says.includes('hidden'));
	t.regex((await move('--to', `sqlite:${join(folder, 'x.sqlite')}`)).says, /both databases are of the kind sqlite/);
	await knex.schema.createTable('theirs', (table) => void table.integer('id'));
	t.regex((await move(...to)).says, /has tables already/);
	t.is((await installation.command('account', 'list')).code, 0, 'the old database is as it was');
});

for (const cut of ['copying', 'comparing'] as const) {
	test(`a move that is cut off while ${cut} leaves nothing in the new database, and begins anew`, async (t) => {
		const folder = folderOf(t);
		const run = openCommandRunner(t);
		const tokens = await fill(run, folder);
		const { url, bare, passwordFile, knex } = await emptyPostgres(t, folder);
		const fromUrl = `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}`;
		const beside = await openDatabase({ url: fromUrl });
		t.teardown(() => beside.close());
		const root = openFileRootKey(join(run.dataDir, 'master.key'));
		const keyRing = await openKeyRing({ database: beside, root, environment: 'sandbox' });
		const killed = new Error('killed');
		const parts = { fromUrl, toUrl: url, shownTo: bare, keyRing, onPartial: () => () => {} };
		const onProgress = (done: number, total: number) => {
			if (done > total * (cut === 'copying' ? 0.3 : 0.8)) throw killed;
		};
		const before = await tablesOf(knex);
		t.is(await t.throwsAsync(moveDatabase({ ...parts, onProgress })), killed);
		t.is(await tablesOf(knex), before);
		const file = join(folder, 'new.sqlite');
		t.is((await run('account', 'list')).code, 0);
		const moved = await run('database', 'move', '--to', bare, '--password-file', passwordFile);
		t.is(moved.code, 0, moved.stderr);
		const there = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url, TOKENDROP_DATA_DIR: run.dataDir });

		const back = { ...parts, fromUrl: url, toUrl: `sqlite:${file}`, shownTo: `sqlite:${file}` };
		t.is(await t.throwsAsync(moveDatabase({ ...back, onProgress })), killed);
		t.deepEqual([file, `${file}.partial`, `${file}.partial-wal`].map(existsSync), [false, false, false]);
		await comesBack(t, there, tokens, join(folder, 'back.csv'));
	});
}

test('from PostgreSQL nothing moves while a daemon says that it runs', async (t) => {
	const { url, knex } = await openTestDatabase(t, 'postgres');
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url });
	await run('account', 'create', '--user-id', 'agency');
	const now = Date.now();
	const daemon = { id: 'one', version: '0.1.0', knows: '0014-daemons.expand' };
	await daemonStore(knex).sign({ ...daemon, started_at: now, seen_at: now });
	const refused = await run('database', 'move', '--to', `sqlite:${join(run.dataDir, 'new.sqlite')}`);
	t.is(refused.code, 1);
	t.regex(refused.json.error.message, /daemons run: one\. Stop them/);
});

test('the tables of SQLite are found with their keys, those that others refer to first', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const tables = await listTables(knex);
	const names = tables.map(({ name }) => name);
	t.true(names.indexOf('accounts') < names.indexOf('api_keys'));
	t.false(names.includes('schema_migrations'));
	const users = tables.find(({ name }) => name === 'portal_users')!;
	t.deepEqual([...users.key, ...users.booleans], ['id', 'has_factor']);
	t.is(await readCounter(knex, 'sqlite', users), 0);
});
