import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import SqliteDatabase from 'better-sqlite3';
import { openDatabase } from '../../src/base/database/open.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { createBackup } from '../../src/installation/backup/backup.ts';
import { listSources } from '../../src/installation/backup/backup-files.ts';
import { dropBlobs } from '../../src/work/drops/drop-blobs.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import { type CommandRunner, openCommandRunner } from '../helpers/run-command.ts';

const FILE = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';
/** The content of an upload that is too large for a row of the database, so that its blob is a file on disk. */
const LARGE_FILE = FILE + ',12,2029\n'.repeat(5_000);

function folderOf(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-backup-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Creates an account, a file with its tokens, whose path is returned, and an upload that waits to be processed. */
async function fill(run: CommandRunner, folder: string): Promise<string> {
	await run('account', 'create', '--user-id', 'agency');
	const [clear, tokens] = ['clear.csv', 'tokens.csv'].map((name) => join(folder, name));
	writeFileSync(clear, FILE);
	await run('file', 'tokenize', '--user-id', 'agency', '--filter', 'SIMPLECSV', clear, tokens);
	await put(run, 'waiting.csv');
	return tokens;
}

async function put(run: CommandRunner, name: string, content = LARGE_FILE): Promise<void> {
	const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
	const root = openFileRootKey(join(run.dataDir, 'master.key'));
	const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
	const blobs = dropBlobs({ dataDir: run.dataDir, drops: { reservedBytes: 0 } }, database);
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'test' });
	const account = await database.knex('accounts').where({ user_id: 'agency' }).first();
	const folder = { accountId: account.id, area: 'tokenize' as const, filter: 'SIMPLECSV' };
	const upload = await drops.begin({ folder, name, createdBy: 'agency' });
	await upload.write(0, Buffer.from(content));
	await openIntake({ database, drops }).accept(upload);
	await drops.close();
	await database.close();
}

test('a backup is made, brought up to date, checked and restored; with the master key it opens again', async (t) => {
	const folder = folderOf(t);
	const run = openCommandRunner(t);
	const tokens = await fill(run, folder);
	const backup = join(folder, 'backup');
	t.like((await run('backup', 'create', backup)).json, { hasDatabase: true, files: 2 });
	await put(run, 'later.csv');
	await put(run, 'small.csv', FILE);
	t.like((await run('backup', 'create', backup)).json, { files: 3 });
	t.false(existsSync(join(backup, 'master.key')));
	const verdict = await run('backup', 'verify', backup);
	t.like(verdict.json, { isWhole: true, environment: 'sandbox', problems: [] });
	t.is(verdict.code, 0);
	for (const name of ['manifest.json', 'database.sqlite']) {
		t.false(readFileSync(join(backup, name)).includes('4111111111111111'), name);
	}

	const again = openCommandRunner(t, {}, { isReady: false });
	const restored = await again.text('backup', 'restore', backup);
	t.is(restored.code, 0, restored.stderr);
	t.regex(restored.stdout, /Put the master key in its place/);
	writeFileSync(join(again.dataDir, 'master.key'), readFileSync(join(run.dataDir, 'master.key')), { mode: 0o600 });
	const back = join(folder, 'back.csv');
	const out = await again('file', 'detokenize', '--user-id', 'agency', '--filter', 'SIMPLECSV', tokens, back);
	t.is(out.code, 0, out.stderr);
	t.is(readFileSync(back, 'utf8'), FILE);
	t.is((await again('job', 'list')).json.length, 3);
	const second = await again('backup', 'restore', backup);
	t.is(second.code, 1);
	t.regex(second.json.error.message, /restored into an empty place/);
});

test('a backup that lacks a file or has another one is not whole, and is not restored', async (t) => {
	const folder = folderOf(t);
	const run = openCommandRunner(t);
	await fill(run, folder);
	const backup = join(folder, 'backup');
	await run('backup', 'create', backup);
	const [blob] = Object.keys(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')).files).filter((path) =>
		path.startsWith('drops/'),
	);
	const bytes = readFileSync(join(backup, blob));
	appendFileSync(join(backup, blob), 'x');
	t.like((await run('backup', 'verify', backup)).json, { isWhole: false, problems: [`${blob} is not what it was`] });
	rmSync(join(backup, blob));
	const missing = await run('backup', 'verify', backup);
	t.is(missing.code, 1);
	t.regex(missing.json.problems.join('\n'), /is missing\nthe sealed file .*, which a row names, is missing/);
	const again = openCommandRunner(t, {}, { isReady: false });
	t.is((await again('backup', 'restore', backup)).code, 1);
	t.false(existsSync(join(again.dataDir, 'tokendrop.sqlite')));
	writeFileSync(join(backup, blob), bytes);
	t.is((await run('backup', 'verify', backup)).code, 0);
	t.is((await run('backup', 'verify', folder)).code, 1, 'no backup at all');
	const wrong = openCommandRunner(t, { TOKENDROP_ENVIRONMENT: 'production' });
	t.is((await wrong('backup', 'restore', backup)).code, 1);
});

test('rows that are committed while the copy is made are not in it, and do not damage it', async (t) => {
	const folder = folderOf(t);
	const run = openCommandRunner(t);
	await fill(run, folder);
	const file = join(run.dataDir, 'tokendrop.sqlite');
	const writer = new SqliteDatabase(file);
	writer.exec('create table ballast (bytes blob)');
	for (let i = 0; i < 40; i++) writer.prepare('insert into ballast values (randomblob(1000000))').run();
	let written = 0;
	const settings = loadSettings({ env: { TOKENDROP_DATA_DIR: run.dataDir } });
	const backup = join(folder, 'backup');
	const onProgress = () => {
		written += writer.prepare('insert into ballast values (?)').run(Buffer.alloc(10)).changes;
	};
	await createBackup(settings, backup, file, { onProgress, onPartial: () => {} });
	t.true(written > 4, `${written} commits between the steps`);
	writer.close();
	const copy = new SqliteDatabase(join(backup, 'database.sqlite'), { readonly: true });
	const { rows } = copy.prepare('select count(*) as rows from ballast').get() as { rows: number };
	copy.close();
	t.true(rows < 40 + written, `${rows} rows`);
	t.is((await run('backup', 'verify', backup)).code, 0);
	t.false((await listSources(settings)).some(({ path }) => path.includes('master.key')));
});
