import test from 'ava';
import fc from 'fast-check';
import { type Dialect, rowsOf } from '../../src/base/database/dialect.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

const typesOf: Record<Dialect, string> = {
	sqlite: '? as one, ? as two, ? as three',
	postgres: 'cast(? as text) as one, cast(? as integer) as two, cast(? as bytea) as three',
};

for (const dialect of coreDatabases) {
	test(`${dialect}: a statement with any plain values answers what knex's own way answers`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		const text = fc.string({ unit: anyCharacter }).map((value) => value.replaceAll('\0', ''));
		const number = fc.option(fc.integer());
		const bytes = fc.option(fc.uint8Array().map((value) => Buffer.from(value)));
		await fc.assert(
			fc.asyncProperty(fc.option(text), number, bytes, async (one, two, three) => {
				const [row] = rowsOf<object>(await knex.raw(`select ${typesOf[dialect]}`, [one, two, three]));
				// A statement with a time limit is run in knex's own way.
				const [theirs] = rowsOf<object>(
					await knex.raw(`select ${typesOf[dialect]}`, [one, two, three] as never).timeout(9_000),
				);
				t.deepEqual({ ...row }, { ...theirs });
				t.like(row, { one, two });
			}),
		);
	});

	test(`${dialect}: statements that are not plain are left to knex`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		const only = async (answer: PromiseLike<unknown>) => Object.values(rowsOf<object>(await answer)[0])[0];
		if (dialect === 'postgres') t.is(await only(knex.raw(`select 'a\\?b'`)), 'a?b');
		t.is(await only(knex.raw('select max(??) from (select 3 as n) t', ['n'])), 3);
		t.is(await only(knex.raw('select ? + 1 as n', [knex.raw('4')])), 5);
		t.is(await only(knex.raw('select cast(:n as integer) as n', { n: 7 } as never)), 7);
		await t.throwsAsync(async () => knex.raw('select ? as n', [undefined as never]), { message: /Undefined binding/ });
		t.is((await knex.select(knex.raw('cast(? as integer) as n', [6])))[0].n, 6);
	});

	test(`${dialect}: a failure names the statement without its values, and gives the connection back`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		for (let n = 0; n < 12; n++) {
			const { message } = await t.throwsAsync(async () => knex.raw('select missing, ?', ['secret']));
			t.regex(message, /^select missing, (\?|\$1) - /);
		}
		t.is(rowsOf(await knex.raw('select 1 as n')).length, 1);
	});

	test(`${dialect}: a statement within a transaction belongs to it, and not to what comes after`, async (t) => {
		const { knex } = await openTestDatabase(t, dialect);
		await knex.raw('create table plain (n integer)');
		const rolledBack = knex.transaction(async (transaction) => {
			await transaction.raw('insert into plain (n) values (?)', [1]);
			throw new Error('rolled back');
		});
		await t.throwsAsync(rolledBack, { message: 'rolled back' });
		t.is(rowsOf(await knex.raw('select n from plain')).length, 0);
		const ended = await knex.transaction(async (transaction) => transaction);
		await t.throwsAsync(async () => ended.raw('insert into plain (n) values (?)', [2]), {
			message: /already complete/,
		});
	});
}
