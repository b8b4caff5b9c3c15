import test from 'ava';
import { bulkInsert } from '../../src/base/database/bulk-insert.ts';
import { transact } from '../../src/base/database/dialect.ts';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { execute } from '../../src/base/database/sql.ts';
import { openCounted } from './write-turn.setup.ts';

test('a failed statement or transaction ends the turn', async (t) => {
	const { database, add, count } = await openCounted(t);
	const { knex } = database;
	await t.throwsAsync(knex.raw('insert into counted (missing) values (1)'));
	await t.throwsAsync(
		transact(database, async () => {
			throw new Error('refused');
		}),
		{ message: 'refused' },
	);
	await t.throwsAsync(execute(knex, 'insert into counted (missing) values (1)'));
	await t.throwsAsync(transactPlainly(database, (transaction) => execute(transaction, 'nonsense')));
	t.is(new Int32Array(database.writeTurn!)[0], 0, 'it is nobody’s turn');
	await add();
	t.is(await count(), 1);
});

test('rows that are inserted together fail alone', async (t) => {
	const { database } = await openCounted(t);
	const { knex } = database;
	await knex.schema.createTable('named', (table) => void table.text('name').primary());
	const insert = bulkInsert(knex, 'sqlite', 'named', ['name']);
	const counted = bulkInsert(knex, 'sqlite', 'counted', ['next']);
	const together = await Promise.allSettled([
		insert([['a'], ['b']]),
		counted([[7], [8]]),
		insert([['c'], ['a']]),
		insert([['d']]),
	]);
	t.deepEqual(
		together.map(({ status }) => status),
		['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
	);
	t.deepEqual(await knex('named').orderBy('name').pluck('name'), ['a', 'b', 'd']);
	t.deepEqual(await knex('counted').orderBy('next').pluck('next'), [0, 7, 8]);
});
