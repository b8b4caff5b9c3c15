// Those tests of write-turn.test.ts that take long.

import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { execute } from '../../src/base/database/sql.ts';
import { openCounted } from './write-turn.setup.ts';

test('what several threads write at once is complete, whichever way they write', async (t) => {
	const { database, start, add, count } = await openCounted(t);
	const threads = [start({ times: 100, openMs: 0 }), start({ times: 100, openMs: 0 })];
	for (let n = 0; n < 50; n++) {
		await add();
		await database.knex.raw('update counted set next = next + 1');
		await transactPlainly(database, async (transaction) => {
			await execute(transaction, 'update counted set next = next + 1');
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
