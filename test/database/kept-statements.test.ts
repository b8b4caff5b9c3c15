import test from 'ava';
import { prepared, type SqliteConnection } from '../../src/base/database/sqlite-connection.ts';
import { openTestDatabase } from '../helpers/database.ts';

test('a statement is compiled once, also one over several tables; a long list of rows is not kept', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const connection = (await knex.client.acquireConnection()) as SqliteConnection;
	t.teardown(() => knex.client.releaseConnection(connection));
	const compiled = (length: number) => prepared(connection, `select 1 -- ${'x'.repeat(length)}`);
	const [first, long] = [compiled(3000), compiled(5000)];
	t.true(compiled(3000) === first);
	t.false(compiled(5000) === long);
});

test('a statement that sorts is not planned anew for each value', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const connection = (await knex.client.acquireConnection()) as SqliteConnection;
	t.teardown(() => knex.client.releaseConnection(connection));
	const quickest = (sql: string) => {
		const statement = prepared(connection, sql);
		const rounds = Array.from({ length: 20 }, () => {
			const startedAt = performance.now();
			for (let value = 0; value < 50; value++) statement.all([value, value]);
			return performance.now() - startedAt;
		});
		return Math.min(...rounds);
	};
	const plain = quickest('select * from jobs where account_id = ? and name is not distinct from ?');
	const sorted = quickest('select * from jobs where account_id = ? and name is not distinct from ? order by seq');
	t.true(sorted < plain * 5, `${sorted} ms, without an order ${plain} ms`);
});

test('a value of any type finds the row that has it', async (t) => {
	const { knex } = await openTestDatabase(t, 'sqlite');
	const connection = (await knex.client.acquireConnection()) as SqliteConnection;
	t.teardown(() => knex.client.releaseConnection(connection));
	prepared(connection, 'create table kinds (number bigint, text varchar(9), bytes blob)').run([]);
	prepared(connection, 'insert into kinds values (?, ?, ?)').run([5, '5', Buffer.from('5')]);
	const find = (column: string, value: unknown) =>
		prepared(connection, `select 1 from kinds where ${column} = ? order by number`).all([value]).length;
	// A value takes the type of its column: the driver binds every number of JavaScript as one with a fraction.
	t.deepEqual([find('number', 5), find('number', '5'), find('text', '5'), find('text', '5.0')], [1, 1, 1, 0]);
	t.deepEqual([find('bytes', Buffer.from('5')), find('bytes', '5'), find('text', null)], [1, 0, 0]);
	prepared(connection, 'update kinds set bytes = ? where text = ?').run([null, '5']);
	t.deepEqual(prepared(connection, 'select number, text, bytes from kinds').all([]), [
		{ number: 5, text: '5', bytes: null },
	]);
});
