import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { gatherTransactions } from '../../src/base/database/gather.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

/** A name that a transaction is to insert, and how this is to go on. */
interface Put {
	readonly name: string;
	readonly rest?: number;
	readonly fails?: boolean;
	readonly mayEnd?: Promise<void>;
}

/** Opens a table of names, each at most once, whose `rest` must name a row of `rests` when the transaction ends. */
async function openNames(t: ExecutionContext<unknown>, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const { knex } = database;
	await knex.schema.createTable('rests', (table) => void table.integer('id').primary());
	await knex.raw(`create table names (name text primary key,
		rest integer references rests (id) deferrable initially deferred)`);
	const statements: string[] = [];
	knex.on('query', ({ sql }) => statements.push(sql.toLowerCase().replace(';', '')));
	const groups: string[] = [];
	const run = gatherTransactions<Put, string>(database, {
		orderOf: ({ name }) => name,
		async doAll(transaction, works) {
			groups.push(works.map(({ name }) => name).join(' '));
			for (const { name, rest, fails, mayEnd } of works) {
				await transaction('names').insert({ name, rest: rest ?? null });
				await mayEnd;
				if (fails) throw new Error(`${name} fails`);
			}
			return works.map(({ name }) => name.toUpperCase());
		},
	});
	return {
		groups,
		commits: () => statements.filter((sql) => sql === 'commit').length,
		stored: async () => (await knex('names').orderBy('name').pluck('name')) as string[],
		put: (name: string, options: Omit<Put, 'name'> = {}) => run({ name, ...options }),
	};
}

for (const dialect of coreDatabases) {
	test(`works that come together share a transaction, in their order, and each gets its own result (${dialect})`, async (t) => {
		const { put, commits, groups, stored } = await openNames(t, dialect);
		t.deepEqual(await Promise.all(['c', 'a', 'b'].map((name) => put(name))), ['C', 'A', 'B']);
		t.is(commits(), 1);
		t.deepEqual(groups, ['a b c']);
		await put('d');
		t.is(commits(), 2);
		t.deepEqual(await stored(), ['a', 'b', 'c', 'd']);
	});

	test(`a work that fails takes no other along (${dialect})`, async (t) => {
		const { put, stored } = await openNames(t, dialect);
		const outcomes = await Promise.allSettled([put('a'), put('b', { fails: true }), put('c'), put('a')]);
		t.deepEqual(
			outcomes.map(({ status }) => status),
			['fulfilled', 'rejected', 'fulfilled', 'rejected'],
		);
		t.is((outcomes[1] as PromiseRejectedResult).reason.message, 'b fails');
		t.deepEqual(await stored(), ['a', 'c']);
	});

	test(`when the commit fails, nothing is done a second time (${dialect})`, async (t) => {
		const { put, groups, stored } = await openNames(t, dialect);
		const outcomes = await Promise.allSettled([put('a'), put('b', { rest: 7 })]);
		t.deepEqual(
			outcomes.map(({ status }) => status),
			['rejected', 'rejected'],
		);
		t.deepEqual(groups, ['a b']);
		t.deepEqual(await stored(), []);
	});
}

test('what comes while a transaction runs has the next one', async (t) => {
	const { put, groups } = await openNames(t, 'sqlite');
	const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
	const first = put('z', { mayEnd });
	for (let turns = 0; turns < 30; turns++) await turn();
	const later = Promise.all([put('a'), put('b')]);
	end();
	await first;
	await later;
	t.deepEqual(groups, ['z', 'a b']);
});

test('works of the same order come one after the other, and no more than 16 works share a transaction', async (t) => {
	const { put, groups } = await openNames(t, 'sqlite');
	const names = Array.from({ length: 20 }, (_, nth) => String.fromCharCode(97 + nth));
	const outcomes = await Promise.allSettled([...names, 'a'].map((name) => put(name)));
	t.deepEqual(groups.slice(0, 2), [names.slice(0, 16).join(' '), 'a q r s t']);
	t.is(outcomes.filter(({ status }) => status === 'rejected').length, 1, 'the name that is there already');
});
