import { closeSync, copyFileSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findDamagedPages } from '../../src/base/database/checks/damaged-pages.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { createBackup } from '../../src/installation/backup/backup.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';

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
