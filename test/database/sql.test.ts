import test from 'ava';
import fc from 'fast-check';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { transactUnsynced } from '../../src/base/database/plain-transaction.ts';
import { execute, queryRows, type SqlTarget } from '../../src/base/database/sql.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

const typesOf: Record<Dialect, string> = {
	sqlite: '? as one, ? as two, ? as three',
	postgres: 'cast(? as text) as one, cast(? as integer) as two, cast(? as bytea) as three',
};

for (const dialect of coreDatabases) {
	test(`${dialect}: a statement with any values answers what knex answers, alone and in every kind of transaction`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const { knex } = database;
		const text = fc.string({ unit: anyCharacter }).map((value) => value.replaceAll('\0', ''));
		const number = fc.option(fc.integer());
		const bytes = fc.option(fc.uint8Array().map((value) => Buffer.from(value)));
		await fc.assert(
			fc.asyncProperty(fc.option(text), number, bytes, async (one, two, three) => {
				const ours = (on: SqlTarget) => queryRows<object>(on, `select ${typesOf[dialect]}`, [one, two, three]);
				const [theirs] = await knex.select(knex.raw(typesOf[dialect], [one, two, three] as never));
				for (const [row] of [
					await ours(knex),
					await transactUnsynced(database, ours),
					await knex.transaction((transaction) => ours(transaction)),
				]) {
					t.deepEqual({ ...row }, { ...theirs });
					t.like(row, { one, two });
				}
			}),
		);
	});

	test(`${dialect}: a failure names the statement without its values, and gives the connection back`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		for (let n = 0; n < 12; n++) {
			const { message } = await t.throwsAsync(queryRows(knex, 'select missing, ?', ['secret']));
			t.regex(message, /^select missing, \? - /);
			t.notRegex(message, /secret/);
			await t.throwsAsync(async () => knex.raw('select missing, ?', ['secret']), {
				message: /^select missing, (\?|\$1) - /,
			});
		}
		t.is((await queryRows(knex, 'select 1 as n')).length, 1);
	});

	test(`${dialect}: who listens to the statements of knex hears of those that are run as text, too`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		const heard: unknown[] = [];
		knex.on('query', ({ sql, bindings }) => /sum/.test(sql) && heard.push([sql, bindings]));
		const sql = 'select ? + 1 as sum';
		await queryRows(knex, sql, [1]);
		await knex.transaction((transaction) => queryRows(transaction, sql, [2]));
		t.deepEqual(heard, [
			[sql, [1]],
			[sql, [2]],
		]);
	});

	test(`${dialect}: a value that is undefined is a bug, not null`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		await t.throwsAsync(queryRows(knex, 'select ?', [undefined]), { message: /^internal error: .*undefined/ });
	});

	test(`${dialect}: a statement tells how many rows it has changed`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		await execute(knex, 'create table changed (n integer)');
		t.is(await execute(knex, 'insert into changed (n) values (?), (?), (?)', [1, 2, 3]), 3);
		t.is(await execute(knex, 'update changed set n = 0 where n > ?', [1], 'unsynced'), 2);
		t.is(await execute(knex, 'delete from changed where n = 9'), 0);
	});

	test(`${dialect}: a statement within a transaction belongs to it, and not to what comes after`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const { knex } = database;
		await execute(knex, 'create table plain (n integer)');
		const insert = async (on: SqlTarget) => void (await execute(on, 'insert into plain (n) values (?)', [1]));
		const rollBack = async (on: SqlTarget) => {
			await insert(on);
			throw new Error('rolled back');
		};
		await t.throwsAsync(knex.transaction(rollBack), { message: 'rolled back' });
		await t.throwsAsync(transactUnsynced(database, rollBack), { message: 'rolled back' });
		t.is((await queryRows(knex, 'select n from plain')).length, 0);
		for (const ended of [
			await knex.transaction(async (transaction) => ({ transaction })),
			await transactUnsynced(database, async (transaction) => ({ transaction })),
		]) {
			await t.throwsAsync(insert(ended.transaction), { message: /already complete/ });
		}
		t.is((await queryRows(knex, 'select n from plain')).length, 0);
	});
}
