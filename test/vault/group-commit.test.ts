// Cards of all accounts share commits. On PostgreSQL somebody else may hold what belongs to one account; the others do not
// wait for it.

import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { execute } from '../../src/base/database/sql.ts';
import { fingerprintStore } from '../../src/vault/cards/fingerprint-store.ts';
import type { StoreRequest } from '../../src/vault/cards/new-card.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const [A, B] = [1, 2] as AccountId[];
/** More accounts than a pool has connections. */
const MANY = Array.from({ length: 15 }, (_, nth) => (nth + 10) as AccountId);
const NUMBER = '4111111111111111';
/** Longer than a group waits for a lock. */
const WAITING_MS = 600;

async function openStores(t: ExecutionContext) {
	const { database, vault } = await openVaultParts(t, 'postgres');
	const store = (accountId: AccountId, more: Partial<StoreRequest> = {}) =>
		vault.store({
			...{ accountId, creatorId: accountId },
			card: { number: new CardNumber(NUMBER), expiry: 203012, type: 19 },
			...more,
		});
	/** Tells whether the card of another account is stored before one of those that wait. */
	const isFirst = (other: Promise<unknown>, held: readonly Promise<unknown>[]) =>
		Promise.race([...held.map((each) => each.then(() => false)), other.then(() => true)]);
	const areWaiting = (held: readonly Promise<unknown>[]) => isFirst(sleep(WAITING_MS), held);
	const holding = async () => {
		const transaction = await database.knex.transaction();
		t.teardown(() => transaction.isCompleted() || transaction.rollback());
		return transaction;
	};
	return { database, vault, store, isFirst, areWaiting, holding };
}

if (databases.includes('postgres')) {
	test('cards of other accounts are stored while somebody decides which cards of one account are new', async (t) => {
		const { database, vault, store, isFirst, areWaiting, holding } = await openStores(t);
		const eliminating = { eliminatesDuplicates: true };
		await Promise.all([A, B].map((account) => store(account)));
		const holder = await holding();
		await fingerprintStore(holder, database.dialect).lock(A);
		const number = new CardNumber('5555555555554444');
		const card = { number, expiry: 203012, type: 19 } as const;
		const held = [1, 2].map(() => store(A, { ...eliminating, card }));
		const together = store(B, { ...eliminating, card });
		t.true(await isFirst(together, held), 'in the same group');
		t.true(await isFirst(store(B, eliminating), held), 'in a later one');
		const later = store(A);
		t.true(await areWaiting([...held, later]), 'cards of the account wait, also those that need no lock');
		await holder.commit();
		const [first, second, last] = await Promise.all([...held, later]);
		t.is(first.token, second.token);
		t.deepEqual([first.isNew, second.isNew].sort(), [false, true]);
		const afterwards = await store(A);
		const listed = await vault.list(A, { from: 0, num: 10 });
		t.deepEqual(
			listed.slice(1).map(({ token }) => token),
			[first, last, afterwards].map(({ token }) => token),
			'the oldest comes first',
		);
	});

	test('cards of other accounts are stored while somebody holds a row that a card of one account changes', async (t) => {
		const { database, store, isFirst, areWaiting, holding } = await openStores(t);
		await database.knex.schema.createTable('notes', (table) => {
			table.integer('account').primary();
			table.integer('cards').notNullable();
		});
		const accounts = [...MANY, B];
		await database.knex('notes').insert(accounts.map((account) => ({ account, cards: 0 })));
		const noted = (account: AccountId) =>
			store(account, {
				alongside: async (_, transaction) =>
					void (await execute(transaction, 'update notes set cards = cards + 1 where account = ?', [account])),
			});
		await store(B);
		const holder = await holding();
		await holder('notes').whereIn('account', MANY).forUpdate();
		const held = MANY.map(noted);
		t.true(await isFirst(noted(B), held), 'although more accounts wait than there are connections');
		t.true(await areWaiting(held));
		await holder.rollback();
		await Promise.all(held);
		t.deepEqual(
			await database.knex('notes').orderBy('account').pluck('cards'),
			accounts.map(() => 1),
		);
		t.is((await database.knex('pages')).length, accounts.length + 1, 'each card is stored once');
	});

	test('cards of other accounts are stored while somebody counts a look-up of one account', async (t) => {
		const { store, isFirst, areWaiting, holding } = await openStores(t);
		const eliminating = { eliminatesDuplicates: true };
		await Promise.all([A, B].map((account) => store(account, eliminating)));
		const holder = await holding();
		t.is(await holder('elimination_attempts').where({ account_id: A }).delete(), 1);
		const held = store(A, eliminating);
		t.true(await isFirst(store(B, eliminating), [held]));
		t.true(await areWaiting([held]));
		await holder.rollback();
		t.false((await held).isNew);
	});
}
