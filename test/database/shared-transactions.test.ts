import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/database/dialect.ts';
import { SharedTransactions } from '../../src/database/shared-transactions.ts';
import { openTestDatabase } from '../helpers/database.ts';

/** Opens a table of names, each at most once, whose `rest` must name a row of `rests` when the transaction ends. */
async function openNames(t: ExecutionContext<unknown>, dialect: Dialect) {
	const database = await openTestDatabase(t, dialect);
	const { knex } = database;
	await knex.schema.createTable('rests', (table) => void table.integer('id').primary());
	await knex.raw(`create table names (name text primary key,
		rest integer references rests (id) deferrable initially deferred)`);
	const statements: string[] = [];
	knex.on('query', ({ sql }) => statements.push(sql.toLowerCase().replace(';', '')));
	const transactions = new SharedTransactions(database);
	const steps: string[] = [];
	return {
		transactions,
		steps,
		commits: () => statements.filter((sql) => sql === 'commit').length,
		stored: async () => (await knex('names').orderBy('name').pluck('name')) as string[],
		/** Inserts a name in the first step, and only notes the second. */
		put: (name: string, { rest, fails }: { rest?: number; fails?: boolean } = {}) =>
			transactions.run({
				order: name,
				steps: [
					async (transaction) => {
						steps.push(`${name} 1`);
						await transaction('names').insert({ name, rest: rest ?? null });
					},
					async () => {
						steps.push(`${name} 2`);
						if (fails) throw new Error(`${name} fails`);
					},
				],
			}),
	};
}

for (const dialect of ['sqlite', 'postgres'] as const) {
	test(`works that come together share a transaction, in their order and step by step (${dialect})`, async (t) => {
		const { put, commits, steps, stored } = await openNames(t, dialect);
		await Promise.all(['c', 'a', 'b'].map((name) => put(name)));
		t.is(commits(), 1);
		t.deepEqual(steps, ['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'c 2']);
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
		const { put, steps, stored } = await openNames(t, dialect);
		const outcomes = await Promise.allSettled([put('a'), put('b', { rest: 7 })]);
		t.deepEqual(
			outcomes.map(({ status }) => status),
			['rejected', 'rejected'],
		);
		t.deepEqual(steps, ['a 1', 'b 1', 'a 2', 'b 2']);
		t.deepEqual(await stored(), []);
	});
}

test('what comes while a transaction runs has the next one', async (t) => {
	const { put, commits, transactions } = await openNames(t, 'sqlite');
	const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
	const first = transactions.run({ order: '', steps: [() => mayEnd] });
	for (let turns = 0; turns < 30; turns++) await turn();
	const later = Promise.all([put('a'), put('b')]);
	end();
	await first;
	await later;
	t.is(commits(), 2);
});
