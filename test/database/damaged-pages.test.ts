import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import SqliteDatabase from 'better-sqlite3';
import { findDamagedPages } from '../../src/base/database/checks.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { createBackup } from '../../src/installation/backup/backup.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('a page that the disk has damaged is found, and no backup takes it over', async (t) => {
	const folder = makeFolder(t);
	const file = join(folder, 'whole.db');
	const whole = await openDatabase({ url: file });
	await whole.knex.raw('create table kept (id integer primary key, text text)');
	await whole.knex.raw(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
		insert into kept select i, hex(randomblob(100)) from n`);
	t.deepEqual(await findDamagedPages(whole), []);
	await whole.close();
	const damagedFile = join(folder, 'damaged.db');
	copyFileSync(file, damagedFile);
	const disk = openSync(damagedFile, 'r+');
	writeSync(disk, Buffer.alloc(4096, 0xa5), 0, 4096, 8192 * 20);
	closeSync(disk);
	const damaged = await openDatabase({ url: damagedFile });
	t.teardown(() => damaged.close());
	const problems = (await findDamagedPages(damaged))!;
	t.true(problems.length > 0 && /page|malformed/i.test(problems[0]), problems.join());
	const settings = { dataDir: join(folder, 'data'), audit: { headFile: join(folder, 'heads') } };
	const place = { ...settings, environment: 'sandbox' } as unknown as Parameters<typeof createBackup>[0];
	await t.throwsAsync(createBackup(place, join(folder, 'backup'), damagedFile), {
		message: new RegExp(`^pages of ${damagedFile} are damaged, so the backup keeps its earlier copy: `),
	});
});

test('doctor and backup create tell that a table of SQLite has a damaged page', async (t) => {
	const folder = makeFolder(t);
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	const look = async () => {
		const { json } = await run('doctor');
		return json.findings.find(({ part }: { part: string }) => part === 'pages of the database');
	};
	t.like(await look(), { state: 'ok', says: 'none is damaged' });
	const file = join(run.dataDir, 'tokendrop.sqlite');
	const database = new SqliteDatabase(file);
	database.exec("create table kept (text text); insert into kept values ('anything')");
	database.pragma('wal_checkpoint(truncate)');
	const page = database.prepare("select rootpage from sqlite_master where name = 'kept'").pluck().get() as number;
	const bytes = database.pragma('page_size', { simple: true }) as number;
	database.close();
	const disk = openSync(file, 'r+');
	writeSync(disk, Buffer.alloc(bytes, 0xa5), 0, bytes, bytes * (page - 1));
	closeSync(disk);
	const found = await look();
	t.is(found.state, 'problem');
	t.regex(found.says, /^some are damaged: .*(?:page|malformed)/i);
	const made = await run('backup', 'create', join(folder, 'backup'));
	t.is(made.code, 1);
	t.regex(made.stderr, /are damaged, so the backup keeps its earlier copy/);
});
