import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { withSchemaLock } from '../../src/base/database/locks.ts';
import { migrations } from '../../src/base/database/migrations/index.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { migrate } from '../../src/base/database/schema.ts';
import { coreDatabases, empty, openTestDatabase } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';

/** Opens a database without tables twice, as two daemons do. */
async function openEmptyTwice(t: ExecutionContext<unknown>, dialect: Dialect) {
	let url = `sqlite:${join(makeFolder(t), 'empty.db')}`;
	if (dialect === 'postgres') {
		({ url } = await openTestDatabase(t, dialect, empty));
	}
	const opened = [await openDatabase({ url }), await openDatabase({ url })];
	for (const each of opened) t.teardown(() => each.close());
	return opened;
}

for (const dialect of coreDatabases) {
	test(`${dialect}: two daemons that start at the same moment do not change the schema at the same time`, async (t) => {
		const daemons = await openEmptyTwice(t, dialect);
		let working = 0;
		let most = 0;
		const work = async () => {
			most = Math.max(most, ++working);
			await sleep(50);
			working--;
		};
		await Promise.all([...daemons, ...daemons].map((daemon) => withSchemaLock(daemon, work)));
		t.is(most, 1);
	});

	test(`${dialect}: of two daemons that find an empty database, one makes the tables and the other finds them`, async (t) => {
		const daemons = await openEmptyTwice(t, dialect);
		const applied = await Promise.all(daemons.map((daemon) => migrate(daemon)));
		t.deepEqual(
			applied.map(({ length }) => length).toSorted((one, other) => one - other),
			[0, migrations.length],
		);
	});
}
