// Describes a stored card as pages show it: with a masked number and without its CVV.

import { brandOf, CARD_TYPES, type CardTypeIndex } from '../../../base/card/brand.ts';
import { maskNumber } from '../../../base/card/masking.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
import type { StoredRecord } from '../../../vault/pages/record-codec.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';

/** What a page is told of a card after it was stored. */
export type ToldCard = ReturnType<typeof toldCard>;

export interface StoredCard extends ToldCard {
	readonly isOwner: boolean;
	/** The brand that the number itself shows. The length of the CVV depends on it. */
	readonly brand: CardTypeIndex;
}

export function toldCard({ number, type, expiry, name }: NewCard) {
	return { type: CARD_TYPES[type], maskedNumber: number.masked(), expiry, name };
}

/** Returns the card of a token that the account may use; undefined if there is none. */
export async function storedCard(
	vault: Pick<Vault, 'find'>,
	ownerId: AccountId,
	token: Token,
): Promise<StoredCard | undefined> {
	const found = await vault.find(ownerId, token);
	if (found?.record.kind !== 'card') return undefined;
	const { record, isOwner } = found;
	return { isOwner, ...brandAndCardOf(record) };
}

export function brandAndCardOf({ digits, type, expiry, name }: StoredRecord): Omit<StoredCard, 'isOwner'> {
	return {
		type: CARD_TYPES[type],
		brand: brandOf(digits, 0, digits.length),
		maskedNumber: maskNumber(digits.toString('latin1')),
		expiry,
		name: name?.toString('utf8'),
	};
}
