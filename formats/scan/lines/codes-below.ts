// Tells of the security code that stands on a line of its own below a card number and its expiry, as remarks go on:
//
//   RM VI4111111111111111 EXP 12/29      RM VI4111111111111111
//   RM 123                               RM EXP 12/29 CODE 123

import { isAlphanumeric, isDigit } from '../../../src/base/card/ascii.ts';
import { cardBrandOf, LONGEST_CARD, SHORTEST_CARD } from '../../../src/base/card/card-digits.ts';
import { codeBehindLabel } from '../../../src/base/card/names/cvv-label.ts';
import { isAmexRange, MONTH, YEAR } from '../../../src/base/card/spelling/code-behind.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { isGrouping } from './number.ts';

const EXPIRY = `(?:[a-z]{2,8}[^\\da-z]{0,3})?${MONTH}[ /.-]?${YEAR}`;
/** Matches the end of a line behind the last four digits of a card number: an expiry or nothing, and a few signs. */
const REST = new RegExp(`(?<=\\d{4})(?:(?:[^\\da-z]{1,4}|(?=[a-z]))(${EXPIRY}))?[^\\da-z]{0,4}$`, 'i');
/** Matches a line below that of a number, from its third byte on, if it has nothing but an expiry, a word and a code, or some of these. */
const BELOW = new RegExp(
	`^(?:[a-z]{0,2}|\\d\\d)[^\\da-z]{0,4}(?:(${EXPIRY})[^\\da-z]{0,4})?([a-z][a-z .]{0,20}[a-z][^\\da-z]{1,4})?(\\d{3,4})?[^\\da-z]{0,4}$`,
	'i',
);
/**
 * `REST` is matched only against so many bytes at the end of a number's line, and `BELOW` only against a line that is no
 * longer.
 */
const LONGEST = 48;
/** At most this many signs stand behind the last digits. */
const MOST_SIGNS = 4;
const TAG_LENGTH = 2;
/** At most this many notices name a line; one more says that there are others. */
const MOST_NOTICES = 20;

/** Looks at the lines below those with a card number. One instance serves one file. */
export class CodesBelow {
	readonly #tag = new Uint8Array(TAG_LENGTH);
	readonly #digits = new Uint8Array(LONGEST_CARD);
	/** True if the line before was one of a number, perhaps with lines of its expiry below it. */
	#isOpen = false;
	#hasExpiry = false;
	#isAmex = false;
	#notices = 0;

	/** Takes the next line. `hasNumber` tells whether it has a number or a token. */
	line(
		bytes: Buffer,
		start: number,
		end: number,
		lineNumber: number,
		found: Findings,
		hasNumber: boolean,
		textStart = start,
	): void {
		if (hasNumber) this.#begin(bytes, start, end, textStart);
		else if (this.#isOpen) this.#goOn(bytes, start, end, lineNumber, found);
	}

	#begin(bytes: Buffer, start: number, end: number, textStart: number): void {
		this.#isOpen = false;
		if (!mayEndCard(bytes, textStart, end)) return;
		const from = Math.max(textStart, end - LONGEST);
		const rest = REST.exec(bytes.toString('latin1', from, end));
		this.#isOpen = rest !== null && this.#endsCard(bytes, textStart, from + rest.index);
		this.#hasExpiry = rest?.[1] !== undefined;
		this.#tag.set(bytes.subarray(start, start + TAG_LENGTH));
	}

	/** Tells whether a card number ends at `end`. */
	#endsCard(bytes: Uint8Array, start: number, end: number): boolean {
		const digits = this.#digits;
		let first = LONGEST_CARD;
		for (let at = end; at > start && first > 0 && (isDigit(bytes[at - 1]) || isGrouping(bytes[at - 1])); at--)
			if (isDigit(bytes[at - 1])) digits[--first] = bytes[at - 1];
		const isCard = cardBrandOf(digits, first, LONGEST_CARD - first) !== 0;
		this.#isAmex = isAmexRange(digits, first);
		digits.fill(0);
		return isCard;
	}

	#goOn(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings): void {
		const text = start + TAG_LENGTH;
		const isSame = end - start <= LONGEST && end >= text && bytes.subarray(start, text).equals(this.#tag);
		const [whole, expiry, word, code] = (isSame && BELOW.exec(bytes.toString('latin1', text, end))) || [];
		this.#hasExpiry ||= expiry !== undefined;
		this.#isOpen = whole !== undefined && code === undefined && this.#hasExpiry;
		if (code === undefined || !this.#hasExpiry || (code.length > 3 && !this.#isAmex)) return;
		const label = word === undefined ? -1 : bytes.indexOf(word, text, 'latin1');
		// Such a word is found everywhere.
		const isFoundAnyway = /cv/i.test(word ?? '');
		if (isFoundAnyway || (label !== -1 && codeBehindLabel(bytes, label, label, end) === -1)) return;
		if (this.#notices < MOST_NOTICES) found.notice(noticeOf(lineNumber));
		else if (this.#notices === MOST_NOTICES) found.notice(`There are more lines of which this holds: ${noticeOf('…')}`);
		this.#notices++;
	}
}

const noticeOf = (line: number | '…') =>
	`Digits on line ${line} may be the security code of the card number above: they were left as they are`;

/** Tells at a glance whether the last digits of a line may be those of a number, of a group of one, or of an expiry. */
function mayEndCard(bytes: Uint8Array, start: number, end: number): boolean {
	let after = end;
	while (after > start && end - after < MOST_SIGNS && !isAlphanumeric(bytes[after - 1])) after--;
	let first = after;
	while (first > start && isDigit(bytes[first - 1])) first--;
	const count = after - first;
	return count === 2 || count === 4 || count === 5 || count >= SHORTEST_CARD;
}
