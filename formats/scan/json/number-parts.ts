// Recognises a card number whose digits are split over members of one object: `{"bin": …, "middle": …, "last4": …}` and
// `{"part1": …, "part2": …, "part3": …, "part4": …}`.

import { SHORTEST_CARD } from '../../../src/base/card/card-digits.ts';
import { foldFieldName } from '../../../src/base/card/names/field-names.ts';
import { decodeJsonText } from '../../../src/base/text/json-text.ts';
import type { Findings } from '../../../src/engine/format.ts';
import type { HeldCard } from '../held-card.ts';
import type { HeldValue } from '../held-value.ts';
import { isSplitNumber } from '../inner-values.ts';
import type { NameNotices } from '../name-notices.ts';
import { nameText } from '../shown-name.ts';

/** Returns the text of a key as it is between its quotes. */
export function keyText(key: Buffer): string {
	return nameText(key.includes(0x5c) ? decodeJsonText(key, 0, key.length) : key);
}

/**
 * This bit means that the value under the key may be a part of a card number. No other bit of a name's meaning is set with
 * it.
 */
export const PIECE = 16384;
const LONGEST_NAME = 32;
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

/** Tells of a number that is split over members of the card's object. */
export function tellSplitNumber(card: HeldCard, notices: NameNotices, bytes: Buffer, found: Findings): void {
	if (card.parts.length < 2) return;
	const first = splitNumberIn(bytes, card.parts.items.slice(0, card.parts.length), card.numberCount > 0);
	if (first !== undefined) notices.tell('split-number', bytes, first.nameStart, first.nameEnd, found);
}

/**
 * Returns the first part of a number that is split over members of an object, or undefined if there is none. `hasNumber`
 * says that the object also has a whole number; then parts with ordinals are something else.
 */
function splitNumberIn(bytes: Buffer, parts: readonly HeldValue[], hasNumber: boolean): HeldValue | undefined {
	// Most objects have only the first and last digits of a masked number.
	if (parts.reduce((digits, { start, end }) => digits + end - start, 0) < SHORTEST_CARD) return undefined;
	for (let first = 0; !hasNumber && first < parts.length; first++) {
		const order = numberedFrom(bytes, parts.slice(first));
		if (order.length > 1 && isSplit(bytes, order)) return parts[first];
	}
	return splitByRole(bytes, parts);
}

/**
 * Returns the parts with one stem and the ordinals from 1 on, of which `parts` has the first in front: `card1` to `card4`.
 * It may lack its ordinal if there are three parts or more.
 */
function numberedFrom(bytes: Buffer, parts: readonly HeldValue[]): HeldValue[] {
	const nameOf = ({ nameStart, nameEnd }: HeldValue) => bytes.subarray(nameStart, nameEnd);
	const first = nameOf(parts[0]);
	const hasOrdinal = first.at(-1) === ONE;
	const stem = hasOrdinal ? first.subarray(0, -1) : first;
	const order = [parts[0]];
	for (const part of parts.slice(1)) {
		const name = nameOf(part);
		if (name.at(-1) === ONE + order.length && name.subarray(0, -1).equals(stem)) order.push(part);
	}
	return hasOrdinal || order.length > 2 ? order : [];
}

/** Looks for one first and one last part with any number of middle ones, in whatever order the members are. */
function splitByRole(bytes: Buffer, parts: readonly HeldValue[]): HeldValue | undefined {
	const nameOf = ({ nameStart, nameEnd }: HeldValue) => foldFieldName(keyText(bytes.subarray(nameStart, nameEnd)));
	const having = (role: Role) => parts.filter((part) => NAMES[role].test(nameOf(part)));
	const [first, ...otherFirsts] = having('first');
	const middles = having('middle');
	const lasts = having('last').filter((part) => !middles.includes(part));
	if (first === undefined || otherFirsts.length > 0 || lasts.length > 1) return undefined;
	// The rest of a number without a part behind it is its last part.
	const order = [first, ...middles, ...lasts];
	return (order.length > 2 || SURE_FIRST.test(nameOf(first))) && isSplit(bytes, order) ? first : undefined;
}

/** Tells whether the digits of the parts are a card number together. */
function isSplit(bytes: Buffer, order: readonly HeldValue[]): boolean {
	return isSplitNumber(
		bytes,
		order.flatMap(({ start, end }) => [start, end]),
	);
}
