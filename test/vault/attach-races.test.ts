// A card may be deleted at the very moment in which something is stored beside it. Whichever of the two comes first, no
// row of the deleted card may be left.

import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/cvv-code.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { IN_USE_AFTER_MS } from '../../src/base/keys/generations.ts';
import { accountRemovalStore } from '../../src/installation/accounts/account-removal-store.ts';
import { retireCards } from '../../src/vault/cards/retire-cards.ts';
import { withLockedPage } from '../../src/vault/pages/locked-page.ts';
import { sweep } from '../../src/vault/pages/sweep.ts';
import { referenceStore } from '../../src/vault/tokens/reference-store.ts';
import { openVault } from '../../src/vault/vault.ts';
import { databases } from '../helpers/database.ts';
import { openVaultRooms, type VaultRooms } from '../helpers/vault-rooms.ts';

const OWNER = 1 as AccountId;
const OTHER = 2 as AccountId;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };
const amex = { number: new CardNumber('378282246310005'), expiry: 202912, type: 19 };
const BESIDE = ['token_refs', 'associations', 'fingerprints', 'cvvs', 'cvv_destinations'] as const;

/** Stores two cards on one page; returns the token and the place of the first. */
async function storeTwo({ vault }: VaultRooms) {
	const order = { accountId: OWNER, creatorId: OWNER, eliminatesDuplicates: true };
	const [{ token }, neighbour] = await Promise.all([
		vault.store({ ...order, card: visa }),
		vault.store({ ...order, card: amex }),
	]);
	const { page, slot } = (await vault.find(OWNER, token))!;
	return { token, neighbour: neighbour.token, page, slot };
}

/** Lists what is stored beside records that are not there any more, as `table page/slot`. */
async function leftBehind({ database, keyRing }: VaultRooms): Promise<string[]> {
	const left: string[] = [];
	for (const table of BESIDE) {
		for (const { page_id, slot } of await database.knex(table).select('page_id', 'slot')) {
			const isThere = await withLockedPage({ database, keyRing }, page_id, async (page) => !!page?.content.find(slot));
			if (!isThere) left.push(`${table} ${page_id}/${slot}`);
		}
	}
	return left;
}

type Removal = (rooms: VaultRooms, place: { readonly page: number; readonly slot: number }) => Promise<unknown>;

const removals: Readonly<Record<string, Removal>> = {
	'the deletion of the card': ({ vault }, { page, slot }) => vault.removeAt(page, slot),
	'the retention of cards': ({ database, clock }) =>
		retireCards(database, { accountId: OWNER, before: new Date(clock.now().getTime() + 1) }, async () => {}),
	'the deletion of the account': ({ database }) => accountRemovalStore(database).removePages(OWNER, 10),
};

for (const dialect of databases) {
	for (const [title, remove] of Object.entries(removals)) {
		test(`${dialect}: nothing is attached to a card that was found before ${title}`, async (t) => {
			const rooms = await openVaultRooms(t, dialect);
			const { token, page, slot } = await storeTwo(rooms);
			let finds = true;
			// The card is deleted after `attach` has read its page, when it opens that page.
			const keyRing = {
				...rooms.keyRing,
				async byId(...of: Parameters<typeof rooms.keyRing.byId>) {
					if (finds) {
						finds = false;
						await remove(rooms, { page: page.id, slot });
					}
					return rooms.keyRing.byId(...of);
				},
			};
			const vault = await openVault({ ...rooms, keyRing });
			await vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER, cvv: new Cvv('123') });
			t.false(finds, 'the card was deleted in between');
			t.deepEqual(await leftBehind(rooms), []);
		});
	}

	test(`${dialect}: a card that is there gets its reference and its merchant together or neither`, async (t) => {
		const rooms = await openVaultRooms(t, dialect);
		const { token } = await storeTwo(rooms);
		await rooms.database.knex.schema.renameTable('associations', 'away');
		await t.throwsAsync(rooms.vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER }));
		await rooms.database.knex.schema.renameTable('away', 'associations');
		t.deepEqual(await rooms.database.knex('token_refs'), []);
		await rooms.vault.attach(OWNER, token, { reference: 'trip 7', merchantId: OTHER });
		t.like(await rooms.vault.findMetadata(OWNER, token), { reference: 'trip 7' });
		t.truthy(await rooms.vault.find(OTHER, token));
	});
}

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
