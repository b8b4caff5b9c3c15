import test from 'ava';
import { transactPlainly, transactUnsynced } from '../../src/base/database/plain-transaction.ts';
import { execute, queryRows, type SqlTarget } from '../../src/base/database/sql.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

for (const dialect of coreDatabases) {
	for (const transact of [transactPlainly, transactUnsynced]) {
		test(`${dialect}, ${transact.name}: all of a transaction is written or none, and the next one begins anew`, async (t) => {
			const database = await openTestDatabase(t, dialect);
			const { knex } = database;
			const taken = dialect === 'sqlite' ? 'SQLITE_CONSTRAINT_UNIQUE' : '23505';
			await knex.raw('create table plain (n integer unique)');
			const numbers = () => knex('plain').orderBy('n').pluck('n');
			const insert = (...added: number[]) =>
				transact(database, async (transaction) => {
					for (const n of added) await execute(transaction, 'insert into plain (n) values (?)', [n]);
					return added.length;
				});
			t.is(await insert(1, 2), 2);
			await t.throwsAsync(insert(3, 1), { code: taken });
			t.deepEqual(await numbers(), [1, 2]);
			t.is(await insert(4), 1);
			t.deepEqual(await numbers(), [1, 2, 4]);
		});
	}
}

test('postgres: only a transaction that need not be durable at once commits without the disk', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	const setting = async (on: SqlTarget) =>
		(await queryRows<{ synchronous_commit: string }>(on, 'show synchronous_commit'))[0].synchronous_commit;
	const usual = await setting(database.knex);
	t.is(await transactUnsynced(database, setting), 'off');
	t.is(await transactPlainly(database, setting), usual);
});

test('postgres: a connection that is lost within a transaction is not used again', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	const lost = transactUnsynced(database, (transaction) =>
		execute(transaction, 'select pg_terminate_backend(pg_backend_pid())'),
	);
	await t.throwsAsync(lost, { message: /terminat/ });
	t.is((await queryRows(database.knex, 'select 1 as n')).length, 1);
});
