// Counts how often calls that store a card wait for the disk.

import test from 'ava';
import { partsOf } from '../../src/base/database/sqlite-connection.ts';
import { card } from '../helpers/batch-calls.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';

/** Counts how often `work` asks that everything written so far is synced to the disk. */
async function countSyncs({ database }: HttpApp, work: () => Promise<void>): Promise<number> {
	const { walSync } = partsOf(database.knex)!;
	const { sync } = walSync;
	let syncs = 0;
	walSync.sync = () => {
		syncs += 1;
		return sync.call(walSync);
	};
	try {
		await work();
	} finally {
		walSync.sync = sync;
	}
	return syncs;
}

const store = (caller: Caller, key: string | undefined, query = '') =>
	caller.inject('POST', `/api/payments/paycard?${query}`, {
		payload: JSON.stringify(card()),
		headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
	});

test('a store with an idempotency key costs one sync, as one without a key does', async (t) => {
	const parts = await openHttpApp(t);
	const callers = {
		'an account without a limit': await parts.createCaller('free'),
		'an account with a limit': await parts.createCaller('limited', { allowanceLimit: 1_000 }),
	};
	for (const [who, caller] of Object.entries(callers)) {
		// The first store of an account reserves page ids.
		await store(caller, 'first');
		for (const query of ['', 'ref=booking']) {
			for (const key of [undefined, `key-${query}`]) {
				const syncs = await countSyncs(parts, async () => {
					t.is((await store(caller, key, query)).statusCode, 201);
				});
				t.is(syncs, 1, `${who}, ${query}, ${key}`);
			}
		}
	}
});

test('many stores at once share their syncs, with keys too', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	await store(caller, 'first');
	const count = (key: (nth: number) => string | undefined) =>
		countSyncs(parts, async () => {
			const answers = await Promise.all(Array.from({ length: 50 }, (_, nth) => store(caller, key(nth))));
			for (const { statusCode } of answers) t.is(statusCode, 201);
		});
	const [plain, keyed] = [await count(() => undefined), await count((nth) => `key-${nth}`)];
	t.log(`syncs of 50 stores: ${plain} without keys, ${keyed} with keys`);
	t.true(keyed <= 10, `${keyed} syncs`);
});
