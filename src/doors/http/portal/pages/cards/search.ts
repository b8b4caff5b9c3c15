// Reads the fields of the search for cards, and finds the cards.

import { holdsCardNumber } from '../../../../../base/card/spelling/spelled-number.ts';
import type { AccountId } from '../../../../../base/database/ids.ts';
import { AccountNames } from '../../../../../people/identity/accounts/account-names.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { SearchPlace } from '../../../../../vault/tokens/token-search.ts';
import { findSearchText } from '../../../input/query-values.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { PortalCall } from '../../portal-page.ts';
import { principalOf } from './own.ts';

export const PAGE_CARDS = 25;

export type SearchField = 'reference' | 'last4' | 'since' | 'until' | 'user';
export const SEARCH_FIELDS: readonly SearchField[] = ['reference', 'last4', 'since', 'until', 'user'];

/** The typed search, without values that may be a card number, and the error messages by field. */
export interface Asked {
	readonly values: Readonly<Partial<Record<SearchField, string>>>;
	readonly problems: Readonly<Partial<Record<SearchField, string>>>;
}

export interface FoundCards {
	readonly cards: readonly TokenMetadata[];
	/** The cursor with which the next page of results begins; undefined if this page is the last. */
	readonly next: string | undefined;
	/**
	 * How far back a search by digits got if it stopped early: it has searched only the cards stored since this time.
	 * Otherwise undefined.
	 */
	readonly reached: Date | undefined;
	/** True if more cards have the reference than the pages of a search show. */
	readonly isCut: boolean;
}

const DAY_MS = 86_400_000;

/** Reads the fields of the search for cards, and checks them. */
export function readSearch({ query, texts }: PortalCall): Asked {
	const words = texts.cards.list;
	const values: Partial<Record<SearchField, string>> = {};
	const problems: Partial<Record<SearchField, string>> = {};
	for (const name of SEARCH_FIELDS) {
		const text = findSearchText(query[name]?.trim());
		if (text === undefined) continue;
		// A card number is never written back into the page.
		if (holdsCardNumber(text)) problems[name] = words.noNumber;
		else values[name] = text;
	}
	if (values.last4 !== undefined && !/^\d{4}$/.test(values.last4)) {
		problems.last4 = words.fourDigits;
		delete values.last4;
	}
	for (const name of ['since', 'until'] as const)
		if (values[name] !== undefined && dayOf(values[name]) === undefined) problems[name] = words.aDate;
	return { values, problems };
}

/** Returns the start of a day in UTC, or undefined if the text is not a date. */
function dayOf(text: string | undefined): number | undefined {
	if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
	const time = Date.parse(`${text}T00:00:00Z`);
	return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? undefined : time;
}

/**
 * Finds cards, newest first; in a search by reference, oldest first. Returns undefined if the user whose cards are
 * searched for does not exist.
 */
export async function findCards(
	{ vault, identity }: Pick<HttpRooms, 'vault' | 'identity'>,
	call: PortalCall,
	{ values }: Asked,
): Promise<FoundCards | undefined> {
	const { ownerId } = principalOf(call);
	const creatorId = values.user === undefined ? undefined : await findUser(identity, ownerId, values.user);
	if (values.user !== undefined && creatorId === undefined) return undefined;
	const since = dayOf(values.since);
	const lastDay = dayOf(values.until);
	const until = lastDay === undefined ? undefined : lastDay + DAY_MS;
	const { last4: lastDigits, reference } = values;
	if (reference !== undefined) {
		const from = Math.min(Number.parseInt(call.query.after ?? '', 10) || 0, MAX_FROM);
		const all = await vault.list(ownerId, { from, num: PAGE_CARDS + 1, reference });
		const isWanted = (card: TokenMetadata) =>
			(lastDigits === undefined || card.lastDigits === lastDigits) &&
			(creatorId === undefined || card.creatorId === creatorId) &&
			(since === undefined || card.createdAt.getTime() >= since) &&
			(until === undefined || card.createdAt.getTime() < until);
		const hasMore = all.length > PAGE_CARDS;
		const isCut = hasMore && from === MAX_FROM;
		const next = hasMore && !isCut ? String(Math.min(from + PAGE_CARDS, MAX_FROM)) : undefined;
		return { cards: all.slice(0, PAGE_CARDS).filter(isWanted), next, reached: undefined, isCut };
	}
	const after = placeOf(call.query.after);
	const search = { lastDigits, creatorId, since, until, after, limit: PAGE_CARDS };
	const { found, next, reached } = await vault.search(ownerId, search);
	return {
		cards: found,
		next: next && cursorOf(next),
		reached: next && lastDigits !== undefined ? reached : undefined,
		isCut: false,
	};
}

/**
 * In a search by reference, a page of results begins at this position of the list at the latest, because the database
 * has to pass over everything before it.
 */
const MAX_FROM = 10_000;

/**
 * Finds the account, or a sub-user or property of it, by its user ID. Any other account is treated as if it did not
 * exist.
 */
async function findUser(
	{ accounts }: HttpRooms['identity'],
	ownerId: AccountId,
	userId: string,
): Promise<AccountId | undefined> {
	const account = await accounts.find(userId);
	return account && (account.id === ownerId || account.parentId === ownerId) ? account.id : undefined;
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

/** Returns a function that gives the user IDs of the accounts that have stored these cards or may use them. */
export async function namesOf(
	{ identity }: Pick<HttpRooms, 'identity'>,
	cards: readonly TokenMetadata[],
): Promise<(id: AccountId) => string> {
	const names = new AccountNames(identity.accounts);
	await names.load(cards.flatMap(({ creatorId, merchantIds }) => [creatorId, ...merchantIds]));
	return (id) => names.find(id) ?? '?';
}
