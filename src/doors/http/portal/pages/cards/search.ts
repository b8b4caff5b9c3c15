// Finds cards by what is asked of the list of cards.

import type { AccountId } from '../../../../../base/database/ids.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { SearchPlace } from '../../../../../vault/tokens/token-search.ts';
import { periodOf } from '../../kinds/days.ts';
import type { Asked, Found } from '../../kinds/list.ts';
import type { PortalParts } from '../../parts.ts';
import { namesOf } from './shown-card.ts';

const PAGE_CARDS = 25;
/**
 * In a search by reference, a page of results begins at this position of the list at the latest, because the database
 * has to pass over everything before it.
 */
const MAX_FROM = 10_000;
const PAGE = { length: PAGE_CARDS, maxFrom: MAX_FROM } as const;
/** So many cards of a file are read at a time. */
const BATCH = { length: 500, maxFrom: Number.MAX_SAFE_INTEGER } as const;

export interface FoundCard {
	readonly card: TokenMetadata;
	/** The user ID of the account that stored the card. */
	readonly by: string;
}

interface FoundCards<Row> extends Pick<Found<Row>, 'rows' | 'next'> {
	/**
	 * How far back a search by digits got if it stopped early: it has searched only the cards stored since this time.
	 * Otherwise undefined.
	 */
	readonly reached?: Date;
	/** True if more cards have the reference than the pages of a search show. */
	readonly isCut?: boolean;
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

/** Finds cards, newest first; in a search by reference, oldest first. */
export async function findCards(
	parts: Parts,
	ownerId: AccountId,
	asked: Pick<Asked, 'values' | 'after'>,
	pages: typeof PAGE | typeof BATCH = PAGE,
): Promise<FoundCards<FoundCard>> {
	const { rows, ...found } = await search(parts, ownerId, asked, pages);
	const nameOf = await namesOf(parts.identity, rows);
	return { ...found, rows: rows.map((card) => ({ card, by: nameOf(card.creatorId) })) };
}

/** Yields all cards that fit, in batches, however many there are. */
export async function* findAllCards(
	parts: Parts,
	ownerId: AccountId,
	{ values }: Pick<Asked, 'values'>,
): AsyncGenerator<readonly FoundCard[]> {
	let after: string | undefined;
	do {
		const { rows, next } = await findCards(parts, ownerId, { values, after }, BATCH);
		yield rows;
		after = next;
	} while (after !== undefined);
}

async function search(
	{ identity, vault }: Parts,
	ownerId: AccountId,
	{ values, after }: Pick<Asked, 'values' | 'after'>,
	{ length, maxFrom }: typeof PAGE | typeof BATCH,
): Promise<FoundCards<TokenMetadata>> {
	const creatorId = values.user === undefined ? undefined : await findUser(identity, ownerId, values.user);
	const { fromMs: since, toMs: until } = periodOf(values);
	const { last4: lastDigits, reference } = values;
	if (reference === undefined) {
		const place = placeOf(after);
		const { found, next, reached } = await vault.search(ownerId, {
			lastDigits,
			creatorId,
			since,
			until,
			after: place,
			limit: length,
		});
		return {
			rows: found,
			next: next && cursorOf(next),
			reached: next && lastDigits !== undefined ? reached : undefined,
		};
	}
	const from = Math.min(Number.parseInt(after ?? '', 10) || 0, maxFrom);
	const all = await vault.list(ownerId, { from, num: length + 1, reference });
	const isWanted = (card: TokenMetadata) =>
		(lastDigits === undefined || card.lastDigits === lastDigits) &&
		(creatorId === undefined || card.creatorId === creatorId) &&
		(since === undefined || card.createdAt.getTime() >= since) &&
		(until === undefined || card.createdAt.getTime() < until);
	const hasMore = all.length > length;
	const isCut = hasMore && from === maxFrom;
	const next = hasMore && !isCut ? String(Math.min(from + length, maxFrom)) : undefined;
	return { rows: all.slice(0, length).filter(isWanted), next, isCut };
}

const CURSOR = /^([0-9a-z]{1,9})-([0-9a-z]{1,10})-(\d{1,2})$/;

function cursorOf({ createdAt, page, slot }: SearchPlace): string {
	return `${createdAt.toString(36)}-${page.toString(36)}-${slot}`;
}

function placeOf(cursor: string | undefined): SearchPlace | undefined {
	const [, createdAt, page, slot] = CURSOR.exec(cursor ?? '') ?? [];
	if (slot === undefined) return undefined;
	return { createdAt: Number.parseInt(createdAt, 36), page: Number.parseInt(page, 36), slot: Number(slot) };
}
