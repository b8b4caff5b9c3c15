import test from 'ava';
import { checkDatabaseWritable } from '../../src/base/database/checks.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

for (const dialect of coreDatabases) {
	test(`${dialect}: a look whether the database takes a row writes the same row again`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		for (const ms of [1000, 2000]) await checkDatabaseWritable(database, new Date(ms));
		t.deepEqual(await database.knex('write_checks'), [{ id: 1, checked_at: 2000 }]);
	});
}

test('a database that answers and takes nothing fails the look', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	await database.knex.raw('pragma query_only = on');
	await database.ping();
	await t.throwsAsync(checkDatabaseWritable(database, new Date(0)), { message: /readonly/ });
});
