// What attach-races.test.ts and attach-races.slow.test.ts share.

import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { accountRemovalStore } from '../../src/installation/accounts/account-removal-store.ts';
import { retireCards } from '../../src/vault/cards/retire-cards.ts';
import { withLockedPage } from '../../src/vault/pages/locked-page.ts';
import type { VaultParts } from '../helpers/vault-parts.ts';

export const OWNER = 1 as AccountId;
export const visa = { number: new CardNumber('4111111111111111'), expiry: 202912, type: 19 };
export const amex = { number: new CardNumber('378282246310005'), expiry: 202912, type: 19 };
const BESIDE = ['token_refs', 'associations', 'fingerprints', 'cvvs', 'cvv_destinations'] as const;

/** Stores two cards on one page; returns the token and the place of the first. */
export async function storeTwo({ vault }: VaultParts) {
	const order = { accountId: OWNER, creatorId: OWNER, eliminatesDuplicates: true };
	const [{ token }, neighbour] = await Promise.all([
		vault.store({ ...order, card: visa }),
		vault.store({ ...order, card: amex }),
	]);
	const { page, slot } = (await vault.find(OWNER, token))!;
	return { token, neighbour: neighbour.token, page, slot };
}

/** Lists what is stored beside records that are not there any more, as `table page/slot`. */
export async function leftBehind({ database, keyRing }: VaultParts): Promise<string[]> {
	const left: string[] = [];
	for (const table of BESIDE) {
		for (const { page_id, slot } of await database.knex(table).select('page_id', 'slot')) {
			const isThere = await withLockedPage({ database, keyRing }, page_id, async (page) => !!page?.content.find(slot));
			if (!isThere) left.push(`${table} ${page_id}/${slot}`);
		}
	}
	return left;
}

type Removal = (parts: VaultParts, place: { readonly page: number; readonly slot: number }) => Promise<unknown>;

export const removals: Readonly<Record<string, Removal>> = {
	'the deletion of the card': ({ vault }, { page, slot }) => vault.removeAt(page, slot),
	'the retention of cards': ({ database, clock }) =>
		retireCards(database, { accountId: OWNER, before: new Date(clock.now().getTime() + 1) }, async () => {}),
	'the deletion of the account': ({ database }) => accountRemovalStore(database).removePages(OWNER, 10),
};
