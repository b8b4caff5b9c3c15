// Finds cards by what is asked of the list of cards, and writes what all pages show of a card.

import type { AccountId } from '../../../../../base/database/ids.ts';
import { ServiceError } from '../../../../../base/errors.ts';
import { AccountNames } from '../../../../../people/identity/accounts/account-names.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { SearchPlace } from '../../../../../vault/tokens/token-search.ts';
import { findRelatedMerchant } from '../../../tokens/related-merchant.ts';
import { periodOf } from '../../kinds/days.ts';
import type { Asked, Found } from '../../kinds/list.ts';
import { MOST_COUNTED } from '../../kinds/paged-rows.ts';
import type { PortalParts } from '../../parts.ts';

const PAGE_CARDS = 25;
/** So many cards of a file are read at a time. */
const BATCH_CARDS = 500;

export interface FoundCard {
	readonly card: TokenMetadata;
	/** The user ID of the account that stored the card. */
	readonly by: string;
}

interface FoundCards extends Pick<Found<FoundCard>, 'rows' | 'next' | 'previous'> {
	/**
	 * How far a search got that has to look through cards one by one and stops early: it has searched only the cards stored
	 * since this time, or up to it if it went on with newer ones. Otherwise undefined.
	 */
	readonly reached?: Date;
	/** How many cards fit, as far as they are counted; undefined if that is not known. */
	readonly count?: number;
}

type Parts = Pick<PortalParts, 'identity' | 'vault'>;

/**
 * Finds the account, or a sub-user or property of it, by its user ID. Any other account is treated as if it did not
 * exist.
 */
export async function findUser(
	{ accounts }: Pick<Identity, 'accounts'>,
	ownerId: AccountId,
	userId: string,
): Promise<AccountId | undefined> {
	const account = await accounts.find(userId);
	return account && (account.id === ownerId || account.parentId === ownerId) ? account.id : undefined;
}

/** Finds another account that may use cards of this one; undefined for any other text, as over HTTP (spec §7.4.6). */
export async function findMerchant(parts: Parts, ownerId: AccountId, userId: string): Promise<AccountId | undefined> {
	try {
		return await findRelatedMerchant(parts, { ownerId }, userId);
	} catch (error) {
		if (error instanceof ServiceError && error.field === 'merchantId') return undefined;
		throw error;
	}
}

/** Finds a page of cards, the newest first. */
export async function findCards(parts: Parts, ownerId: AccountId, asked: Omit<Asked, 'isNarrowed'>) {
	return search(parts, ownerId, asked, { limit: PAGE_CARDS, countUpTo: MOST_COUNTED + 1 });
}

/** Yields all cards that fit, in batches, however many there are. */
export async function* findAllCards(
	parts: Parts,
	ownerId: AccountId,
	{ values }: Pick<Asked, 'values'>,
): AsyncGenerator<readonly FoundCard[]> {
	let after: string | undefined;
	do {
		const { rows, next } = await search(parts, ownerId, { values, after, before: undefined }, { limit: BATCH_CARDS });
		yield rows;
		after = next;
	} while (after !== undefined);
}

async function search(
	parts: Parts,
	ownerId: AccountId,
	{ values, after, before }: Omit<Asked, 'isNarrowed'>,
	amount: { readonly limit: number; readonly countUpTo?: number },
): Promise<FoundCards> {
	const { identity, vault } = parts;
	const { last4: lastDigits, reference, user, merchant } = values;
	const { fromMs: since, toMs: until } = periodOf(values);
	const { found, next, previous, reached, isStopped, count } = await vault.search(ownerId, {
		...{ lastDigits, reference, since, until },
		creatorId: user === undefined ? undefined : await findUser(identity, ownerId, user),
		merchantId: merchant === undefined ? undefined : await findMerchant(parts, ownerId, merchant),
		...{ after: placeOf(after), before: placeOf(before) },
		...amount,
	});
	const nameOf = await namesOf(identity, found);
	const goesOn = before === undefined ? next : previous;
	return {
		rows: found.map((card) => ({ card, by: nameOf(card.creatorId) })),
		next: next && cursorOf(next),
		previous: previous && cursorOf(previous),
		reached: goesOn && (lastDigits !== undefined || isStopped) ? reached : undefined,
		count,
	};
}

const CURSOR = /^([0-9a-z]{1,9})-([0-9a-z]{1,10})-(\d{1,3})$/;

function cursorOf({ createdAt, page, slot }: SearchPlace): string {
	return `${createdAt.toString(36)}-${page.toString(36)}-${slot}`;
}

function placeOf(cursor: string | undefined): SearchPlace | undefined {
	const [, createdAt, page, slot] = CURSOR.exec(cursor ?? '') ?? [];
	if (slot === undefined) return undefined;
	return { createdAt: Number.parseInt(createdAt, 36), page: Number.parseInt(page, 36), slot: Number(slot) };
}

/** Returns the first six and the last four digits of a card number, or the kind of a record that has no number. */
export function maskedNumber({ leadingDigits, lastDigits, kind }: TokenMetadata): string {
	return leadingDigits === null ? kind : `${leadingDigits}…${lastDigits}`;
}

/** Returns a function that gives the user IDs of the accounts that have stored these cards or may use them. */
export async function namesOf(
	{ accounts }: Pick<Identity, 'accounts'>,
	cards: readonly TokenMetadata[],
): Promise<(id: AccountId) => string> {
	const names = new AccountNames(accounts);
	await names.load(cards.flatMap(({ creatorId, merchantIds }) => [creatorId, ...merchantIds]));
	return (id) => names.find(id) ?? '?';
}
