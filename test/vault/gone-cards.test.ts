// A card may be deleted while a call that has found it goes on. Nothing is then stored beside it, although the page on
// which it was may live on with other cards.

import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openVault } from '../../src/vault/vault.ts';
import { databases } from '../helpers/database.ts';
import { openVaultParts, type VaultParts } from '../helpers/vault-parts.ts';

const OWNER = 1 as AccountId;
const OTHER = 2 as AccountId;
const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };

/** Stores two cards on one page; returns the token and the place of the first. */
async function storeTwo({ vault }: VaultParts) {
	const order = { accountId: OWNER, creatorId: OWNER, card: visa };
	const [{ token }, neighbour] = await Promise.all([vault.store(order), vault.store(order)]);
	return { token, neighbour: neighbour.token, place: (await vault.find(OWNER, token))! };
}

for (const dialect of databases) {
	test(`${dialect}: no CVV is kept for a card that is gone from a page that lives on`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { token, neighbour, place } = await storeTwo(parts);
		t.is(await parts.vault.remove(OWNER, token), 'deleted');
		const alongside = async () => t.fail('something was written for a card that is gone');
		t.false(await parts.vault.cvvs.keepByDefault(place, new Cvv('123'), { alongside }));
		t.deepEqual(await parts.database.knex('cvvs'), []);
		t.true(await parts.vault.cvvs.keepByDefault((await parts.vault.find(OWNER, neighbour))!, new Cvv('123')));
	});

	test(`${dialect}: no merchant is associated with a card that is deleted meanwhile, and none is told`, async (t) => {
		const parts = await openVaultParts(t, dialect);
		const { token, neighbour, place } = await storeTwo(parts);
		const told: unknown[] = [];
		let deletesFirst = true;
		// The card is deleted after the call has found it, when the call is about to lock its page.
		const keyRing = {
			...parts.keyRing,
			async current(...of: Parameters<typeof parts.keyRing.current>) {
				if (deletesFirst) {
					deletesFirst = false;
					t.true(await parts.vault.removeAt(place.page.id, place.slot));
				}
				return parts.keyRing.current(...of);
			},
		};
		const vault = await openVault({ ...parts, keyRing, onChanged: async (change) => void told.push(change) });
		const by = { actor: 'daemon', action: 'card.associate' } as const;
		t.false(await vault.associate(OWNER, token, OTHER, by));
		t.false(deletesFirst);
		t.deepEqual([await parts.database.knex('associations'), told], [[], []]);
		t.true(await vault.associate(OWNER, neighbour, OTHER, by));
		t.is(told.length, 1);
	});
}
