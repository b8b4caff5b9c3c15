// Recognises a card number whose digits are split over members of one object: `{"bin": …, "middle": …, "last4": …}` and
// `{"part1": …, "part2": …, "part3": …, "part4": …}`.

import { SHORTEST_CARD } from '../../../src/base/card/card-digits.ts';
import { foldFieldName } from '../../../src/base/card/names/field-names.ts';
import type { Findings } from '../../../src/engine/format.ts';
import type { HeldCard } from '../held-card.ts';
import type { NameNotices } from '../name-notices.ts';
import { isSplitNumber } from '../split-number.ts';
import { keyText } from './key-text.ts';

/**
 * This bit means that the value under the key may be a part of a card number. No other bit of a name's meaning is set with
 * it.
 */
export const PIECE = 16384;
/** Each part takes this many entries of `HeldCard.parts`: the start and end of its name, and its own. */
const SLOTS = 4;
const LONGEST_NAME = 32;
/** A number has at most this many parts. */
const MOST_PARTS = 8;
const ONE = 0x31;

/** The places of the parts that their names tell, apart from parts with an ordinal. */
const ROLES = ['first', 'middle', 'last'] as const;
type Role = (typeof ROLES)[number];

const CARD = '(?:credit|debit|payment)?(?:card|cc|pan)(?:number|num|no|nr)?';
const OWNER = `(?:${CARD}|number|num)?`;
const LENGTH = '(?:\\d{1,2}|four|six|eight)';
const COUNTED = `${LENGTH}?(?:digits?|part)?${LENGTH}?`;
/** The words for each part of a number, as `foldFieldName` returns them. */
const NAMES: Readonly<Record<Role, RegExp>> = {
	first: new RegExp(`^${OWNER}(?:bin|iin|prefix|(?:first|leading|start|begin|beginning|head|front)${COUNTED})$`),
	middle: new RegExp(`^${OWNER}(?:(?:middle|mid|center|centre|inner|rest|remaining|remainder)${COUNTED})$`),
	last: new RegExp(`^${OWNER}(?:suffix|rest|remaining|remainder|(?:last|trailing|final|end|ending|tail)${COUNTED})$`),
};
/**
 * With only two parts, the name of the first must say that it is a part of a card number. `first` and `last` may be the
 * ends of a range.
 */
const SURE_FIRST = new RegExp(`^(?:bin|iin|first${LENGTH}(?:digits)?)$|^${CARD}`);
/** The words for one of several parts, with an ordinal behind. Words of any form count only behind a word for a card. */
const NUMBERED = new RegExp(
	`^(?:${OWNER}(?:part|piece|chunk|segment|quad|digits?|teil)|${CARD}(?:group|block|section|field|box|input)?)\\d$`,
);

/** Returns `PIECE` if a value under a key of this name may be a part of a card number, or 0. */
export function pieceCode(name: string): number {
	if (name.length > LONGEST_NAME || /\d{3}/.test(name)) return 0;
	const folded = foldFieldName(name);
	return NUMBERED.test(folded) || ROLES.some((role) => NAMES[role].test(folded)) ? PIECE : 0;
}

/** Keeps a short value as a possible part of the card's number. */
export function keepPart(card: HeldCard, nameStart: number, nameEnd: number, start: number, end: number): void {
	if (card.parts.length < MOST_PARTS * SLOTS) card.parts.push(nameStart, nameEnd, start, end);
}

/** Tells of a number that is split over members of the card's object. */
export function tellSplitNumber(card: HeldCard, notices: NameNotices, bytes: Buffer, found: Findings): void {
	const { parts, numberCount } = card;
	const first = splitNumberIn(bytes, parts, numberCount > 0);
	if (first !== -1) notices.tell('split-number', bytes, parts[first], parts[first + 1], found);
}

/**
 * Returns the index in `parts` of the first part of a number that is split over members of an object, or -1 if there is
 * none. `hasNumber` says that the object also has a whole number; then parts with ordinals are something else.
 */
function splitNumberIn(bytes: Buffer, parts: readonly number[], hasNumber: boolean): number {
	if (parts.length < 2 * SLOTS) return -1;
	// Most objects have only the first and last digits of a masked number.
	let digits = 0;
	for (let i = 0; i < parts.length; i += SLOTS) digits += parts[i + 3] - parts[i + 2];
	if (digits < SHORTEST_CARD) return -1;
	for (let first = 0; !hasNumber && first < parts.length; first += SLOTS) {
		const order = numberedFrom(bytes, parts, first);
		if (order.length > 1 && isSplit(bytes, parts, order)) return first;
	}
	return splitByRole(bytes, parts);
}

/**
 * Returns the parts with one stem and the ordinals from 1 on, of which `first` is the first: `card1` to `card4`. It may
 * lack its ordinal if there are three parts or more.
 */
function numberedFrom(bytes: Buffer, parts: readonly number[], first: number): number[] {
	const nameOf = (i: number) => bytes.subarray(parts[i], parts[i + 1]);
	const hasOrdinal = nameOf(first).at(-1) === ONE;
	const stem = hasOrdinal ? nameOf(first).subarray(0, -1) : nameOf(first);
	const order = [first];
	for (let i = first + SLOTS; i < parts.length; i += SLOTS) {
		const name = nameOf(i);
		if (name.at(-1) === ONE + order.length && name.subarray(0, -1).equals(stem)) order.push(i);
	}
	return hasOrdinal || order.length > 2 ? order : [];
}

/** Looks for one first and one last part with any number of middle ones, in whatever order the members are. */
function splitByRole(bytes: Buffer, parts: readonly number[]): number {
	const names = namesOf(bytes, parts);
	const indexes = (role: Role) => names.flatMap((name, i) => (NAMES[role].test(name) ? [i * SLOTS] : []));
	const firsts = indexes('first');
	const middles = indexes('middle');
	const lasts = indexes('last').filter((i) => !middles.includes(i));
	// The rest of a number without a part behind it is its last part.
	const order = [...firsts, ...middles, ...lasts];
	const isNamed = firsts.length === 1 && (order.length > 2 || SURE_FIRST.test(names[firsts[0] / SLOTS]));
	return isNamed && lasts.length <= 1 && isSplit(bytes, parts, order) ? firsts[0] : -1;
}

function namesOf(bytes: Buffer, parts: readonly number[]): string[] {
	return Array.from({ length: parts.length / SLOTS }, (_, i) => {
		return foldFieldName(keyText(bytes.subarray(parts[i * SLOTS], parts[i * SLOTS + 1])));
	});
}

/** Tells whether the digits of the parts at `order` are a card number together. */
function isSplit(bytes: Buffer, parts: readonly number[], order: readonly number[]): boolean {
	return isSplitNumber(
		bytes,
		order.flatMap((i) => [parts[i + 2], parts[i + 3]]),
	);
}
