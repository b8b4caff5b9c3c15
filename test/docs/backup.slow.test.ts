// Tests the recipe for PostgreSQL as docs/backup.md has it. If pg_dump is older than the server, it refuses to work, so the
// server copies the database itself; the same is checked of the copy.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { empty, openTestDatabase } from '../helpers/database.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const page = readFileSync(new URL('../../docs/backup.md', import.meta.url), 'utf8');
const FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';

function pgDumpMajor(): number {
	try {
		return Number(/(\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1] ?? 0);
	} catch {
		return 0;
	}
}

/** Returns the command of the page that begins with a program, as the words after that program. */
function commandOf(program: string, values: Record<string, string>): string[] {
	const line = page.split('\n').find((each) => each.startsWith(`${program} `));
	if (!line) throw new Error(`docs/backup.md has no ${program}`);
	return line
		.split(' ')
		.slice(1)
		.map((word) => word.replace(/"?\$(\w+)"?/g, (_, name) => values[name]));
}

async function copyDatabase(t: ExecutionContext, folder: string, from: string): Promise<{ url: string; how: string }> {
	const target = await openTestDatabase(t, 'postgres', empty);
	const [{ major }] = (await target.knex.raw(`select current_setting('server_version_num')::int / 10000 as major`))
		.rows;
	if (pgDumpMajor() >= major) {
		const values = { BACKUP: folder, DATABASE_URL: from };
		execFileSync('pg_dump', commandOf('pg_dump', values));
		execFileSync('pg_restore', commandOf('pg_restore', { ...values, NEW_DATABASE_URL: target.url }));
		return { url: target.url, how: 'pg_dump' };
	}
	const name = (url: string) => new URL(url).pathname.slice(1);
	await target.close();
	const admin = await openTestDatabase(t, 'postgres');
	await admin.knex.raw(`drop database ${name(target.url)} with (force)`);
	await admin.knex.raw(`create database ${name(target.url)} template ${name(from)}`);
	return { url: target.url, how: 'a copy by the server, since pg_dump is older' };
}

test('PostgreSQL: a database, the files and the master key, kept apart, make the installation again', async (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-backup-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const database = await openTestDatabase(t, 'postgres');
	await database.close();
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: database.url });
	t.is((await run('account', 'create', '--user-id', 'agency')).code, 0);
	const [clear, tokens, back] = ['clear.csv', 'tokens.csv', 'back.csv'].map((name) => join(folder, name));
	writeFileSync(clear, FILE);
	const of = ['--user-id', 'agency', '--filter', 'SIMPLECSV'];
	t.is((await run('file', 'tokenize', ...of, clear, tokens)).code, 0);
	t.is((await run('backup', 'create', join(folder, 'backup'))).code, 64, 'pg_dump has the database');
	t.like((await run('backup', 'create', '--files', join(folder, 'backup'))).json, { hasDatabase: false });
	const { url, how } = await copyDatabase(t, folder, database.url);
	t.log(how);
	t.like((await run('backup', 'verify', join(folder, 'backup'))).json, { isWhole: true, auditEntries: null });
	const again = openCommandRunner(t, {
		TOKENDROP_DATABASE_URL: url,
		TOKENDROP_MASTER_KEY_FILE: join(run.dataDir, 'master.key'),
	});
	const restored = await again('backup', 'restore', join(folder, 'backup'));
	t.is(restored.code, 0, restored.stderr);
	t.is((await again('file', 'detokenize', ...of, tokens, back)).code, 0);
	t.is(readFileSync(back, 'utf8'), FILE);
	t.true((await again('audit', 'verify')).json.isWhole);
});
