// Those tests of attach-races.test.ts that take long.

import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { IN_USE_AFTER_MS } from '../../src/base/keys/generations.ts';
import { withLockedPage } from '../../src/vault/pages/locked-page.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { referenceStore } from '../../src/vault/tokens/reference-store.ts';
import { ACTIVITY } from '../helpers/citus.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';
import { amex, leftBehind, OWNER, removals, storeTwo, visa } from './attach-races.setup.ts';

/** Waits until `count` connections to this database wait for a lock that another one holds. */
async function untilLocked(t: ExecutionContext, { database }: VaultParts, count: number): Promise<void> {
	for (let tries = 0; tries < 500; tries++) {
		const { rows } = await database.knex.raw(
			`select count(*) as n from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock'`,
		);
		if (Number(rows[0].n) === count) return;
		await sleep(20);
	}
	t.fail(`${count} connections should wait for a lock`);
}

for (const [title, remove] of Object.entries(removals)) {
	test(`postgres: ${title} also takes a reference whose transaction was not committed when it began`, async (t) => {
		const parts = await openVaultParts(t, 'postgres');
		const { page, slot } = await storeTwo(parts);
		const begun = Promise.withResolvers<void>();
		const gate = Promise.withResolvers<void>();
		const attaching = withLockedPage(parts, page.id, async (_, transaction) => {
			await referenceStore(transaction).add(OWNER, 'trip 7', page.id, slot);
			begun.resolve();
			await gate.promise;
		});
		await begun.promise;
		const removing = remove(parts, { page: page.id, slot });
		await untilLocked(t, parts, 1);
		gate.resolve();
		await Promise.all([attaching, removing]);
		t.deepEqual(await leftBehind(parts), []);
	});
}

test('postgres: a card that is deleted while a sweep renews its fingerprint leaves no fingerprint', async (t) => {
	const parts = await openVaultParts(t, 'postgres');
	const { neighbour, page, slot } = await storeTwo(parts);
	await parts.keyRing.rotate('fingerprint', OWNER);
	parts.clock.turn(IN_USE_AFTER_MS);
	// Another transaction holds the fingerprint, so that the sweep and then the deletion wait for it.
	const begun = Promise.withResolvers<void>();
	const gate = Promise.withResolvers<void>();
	const holding = parts.database.knex.transaction(async (transaction) => {
		await transaction.raw('select 1 from fingerprints where page_id = ? and slot = ? for update', [page.id, slot]);
		begun.resolve();
		await gate.promise;
	});
	await begun.promise;
	const sweeping = (async () => {
		for await (const _ of sweep(parts, [OWNER]));
	})();
	await untilLocked(t, parts, 1);
	const removing = parts.vault.removeAt(page.id, slot);
	await untilLocked(t, parts, 2);
	gate.resolve();
	await Promise.all([holding, sweeping, removing]);
	t.deepEqual(await leftBehind(parts), []);
	const order = { accountId: OWNER, creatorId: OWNER, eliminatesDuplicates: true };
	t.true((await parts.vault.store({ ...order, card: visa })).isNew, 'a deleted card is stored anew');
	t.is((await parts.vault.store({ ...order, card: amex })).token, neighbour);
});
