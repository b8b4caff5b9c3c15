// Those tests of attach-races.test.ts that take long.

import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { IN_USE_AFTER_MS } from '../../src/base/keys/generations.ts';
import { withLockedPage } from '../../src/vault/pages/locked-page.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { referenceStore } from '../../src/vault/tokens/reference-store.ts';
import { openVaultRooms, type VaultRooms } from '../helpers/vault-rooms.ts';
import { amex, leftBehind, OWNER, removals, storeTwo, visa } from './attach-races.setup.ts';

/** Waits until `count` connections to this database wait for a lock that another one holds. */
async function untilLocked(t: ExecutionContext, { database }: VaultRooms, count: number): Promise<void> {
	for (let tries = 0; tries < 500; tries++) {
		const { rows } = await database.knex.raw(
			"select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
		);
		if (Number(rows[0].n) === count) return;
		await sleep(20);
	}
	t.fail(`${count} connections should wait for a lock`);
}

for (const [title, remove] of Object.entries(removals)) {
	test(`postgres: ${title} also takes a reference whose transaction was not committed when it began`, async (t) => {
		const rooms = await openVaultRooms(t, 'postgres');
		const { page, slot } = await storeTwo(rooms);
		const begun = Promise.withResolvers<void>();
		const gate = Promise.withResolvers<void>();
		const attaching = withLockedPage(rooms, page.id, async (_, transaction) => {
			await referenceStore(transaction).add(OWNER, 'trip 7', page.id, slot);
			begun.resolve();
			await gate.promise;
		});
		await begun.promise;
		const removing = remove(rooms, { page: page.id, slot });
		await untilLocked(t, rooms, 1);
		gate.resolve();
		await Promise.all([attaching, removing]);
		t.deepEqual(await leftBehind(rooms), []);
	});
}

test('postgres: a card that is deleted while a sweep renews its fingerprint leaves no fingerprint', async (t) => {
	const rooms = await openVaultRooms(t, 'postgres');
	const { neighbour, page, slot } = await storeTwo(rooms);
	await rooms.keyRing.rotate('fingerprint', OWNER);
	rooms.clock.turn(IN_USE_AFTER_MS);
	// Another transaction holds the fingerprint, so that the sweep and then the deletion wait for it.
	const begun = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	const holding = rooms.database.knex.transaction(async (transaction) => {
		await transaction.raw('select 1 from fingerprints where page_id = ? and slot = ? for update', [page.id, slot]);
		begun.resolve();
		await gate.promise;
	});
	await begun.promise;
	const sweeping = (async () => {
		for await (const _ of sweep(rooms, [OWNER]));
	})();
	await untilLocked(t, rooms, 1);
	const removing = rooms.vault.removeAt(page.id, slot);
	await untilLocked(t, rooms, 2);
	gate.resolve();
	await Promise.all([holding, sweeping, removing]);
	t.deepEqual(await leftBehind(rooms), []);
	const order = { accountId: OWNER, creatorId: OWNER, eliminatesDuplicates: true };
	t.true((await rooms.vault.store({ ...order, card: visa })).isNew, 'a deleted card is stored anew');
	t.is((await rooms.vault.store({ ...order, card: amex })).token, neighbour);
});
