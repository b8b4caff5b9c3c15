import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { bulkInsert } from '../../src/base/database/bulk-insert.ts';
import { transact } from '../../src/base/database/dialect.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import type { WritingThread } from '../helpers/writing-thread.ts';

async function openCounted(t: ExecutionContext<unknown>) {
	const url = `sqlite:${join(makeFolder(t), 'turns.db')}`;
	const database = await openDatabase({ url });
	t.teardown(() => database.close());
	const { knex, writeTurn } = database;
	await knex.schema.createTable('counted', (table) => void table.integer('next'));
	await knex('counted').insert({ next: 0 });
	const start = (options: Omit<WritingThread, 'url' | 'writeTurn'>) => {
		const worker = new Worker(new URL('../helpers/writing-thread.ts', import.meta.url), {
			workerData: { url, writeTurn, ...options } satisfies WritingThread,
		});
		return { writing: once(worker, 'message'), ended: once(worker, 'exit'), tell: () => worker.postMessage('end') };
	};
	const add = () =>
		transact(database, async (transaction) => {
			const { next } = await transaction('counted').first('next');
			await transaction('counted').update({ next: next + 1 });
		});
	const count = async () => (await knex('counted').first('next')).next as number;
	return { database, start, add, count };
}

test('what several threads write at once is complete, whichever way they write', async (t) => {
	const { database, start, add, count } = await openCounted(t);
	const threads = [start({ times: 100, openMs: 0 }), start({ times: 100, openMs: 0 })];
	for (let n = 0; n < 50; n++) {
		await add();
		await database.knex.raw('update counted set next = next + 1');
		await transactPlainly(database, async (transaction) => {
			await transaction.raw('update counted set next = next + 1');
		});
	}
	for (const { ended } of threads) t.deepEqual(await ended, [0]);
	t.is(await count(), 350);
});

test('a thread that waits for its turn goes on with everything else', async (t) => {
	const { start, add, count } = await openCounted(t);
	const thread = start({ times: 1, openMs: 0, openUntilTold: true });
	await thread.writing;
	const adding = add();
	// If waiting blocked this thread, it could not send the message that ends the transaction it waits for.
	for (let n = 0; n < 10; n++) await sleep(5);
	thread.tell();
	await adding;
	t.is(await count(), 2, 'both have added one, the thread first');
	await thread.ended;
});

test('a thread that ended in a transaction keeps nobody from writing', async (t) => {
	const { start, add, count } = await openCounted(t);
	const thread = start({ times: 1, openMs: 0, endsWithin: true });
	await thread.ended;
	await add();
	await add();
	t.is(await count(), 2);
});

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
	await t.throwsAsync(transactPlainly(database, (transaction) => transaction.raw('nonsense') as Promise<unknown>));
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

test('the main thread comes before threads with files, and keeps none of them from writing', async (t) => {
	const { start, add, count } = await openCounted(t);
	const othersBetween = async () => {
		const threads = [1, 2, 3].map(() => start({ times: 40, openMs: 5 }));
		for (const { writing } of threads) await writing;
		const before = await count();
		for (let n = 0; n < 20; n++) await add();
		const others = (await count()) - before - 20;
		for (const { ended } of threads) await ended;
		return others;
	};
	// Whenever the main thread asks, one transaction of a thread is open. If it took turns with the three threads, three
	// would come before each of its own. A busy machine may not wake the main thread within the time for which the others
	// wait, so there is more than one try.
	let rounds = 0;
	let others: number;
	do others = await othersBetween();
	while (++rounds < 5 && others > 45);
	t.is(await count(), 140 * rounds);
	t.true(others <= 45, `${others} transactions of threads between 20 of the main thread`);
});
