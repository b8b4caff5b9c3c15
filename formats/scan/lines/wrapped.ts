// Tells of card numbers that a screen or a cell has wrapped onto two lines (formats §2). Such a number cannot be
// swapped, so a notice names its place.

import { isDigit, isUpperLetter } from '../../../src/card/ascii.ts';
import { cardBrandOf } from '../../../src/card/card-digits.ts';
import type { Findings } from '../../../src/transfer/format.ts';
import { isGrouping } from './number.ts';

/** The usual lengths of card numbers. Tickets and phones have fewer digits. */
const LENGTHS: ReadonlySet<number> = new Set([14, 15, 16, 19]);
const MAX_DIGITS = 19;
/** In a number that is written in groups, the first group has at least this many digits. */
const MIN_FIRST_GROUP = 4;
/** The next line may repeat a tag of at most this many letters (`RM`, `OTHS`). */
const MAX_TAG = 4;
/** At most this many notices name a place, because a file may have any number of such lines. */
const MAX_NOTICES = 20;
const MORE_NOTICE = 'More card numbers seem to be wrapped onto two lines: they were left as they are';
const BLANK = 0x20;
const CR = 0x0d;
const LF = 0x0a;
const FORM_FEED = 0x0c;

/**
 * Compares the digits at the end of each line with those at the start of the next. One instance serves one file. It
 * keeps digits in clear, so call `clear` at the end of a file.
 */
export class WrappedNumbers {
	/** The digits at the end of the previous line, followed by those at the start of the current one. */
	readonly #digits = new Uint8Array(2 * MAX_DIGITS);
	/** The positions in `#digits` at which a group of the previous line begins. */
	readonly #groups: number[] = [];
	#count = 0;
	#tailLine = 0;
	readonly #tag = new Uint8Array(MAX_TAG);
	#tagLength = 0;
	#notices = 0;

	/**
	 * Examines the next line of the file, and adds a notice if a card number seems to end in it. `to` is the end of the
	 * text that is in memory.
	 */
	line(bytes: Uint8Array, start: number, end: number, to: number, lineNumber: number, found: Findings): void {
		if (this.#count > 0) this.#readHead(bytes, start, end, lineNumber, found);
		this.#count = 0;
		if (end > start && isDigit(bytes[end - 1]) && mayGoOn(bytes, start, end, to)) this.#keepTail(bytes, start, end);
		this.#tailLine = lineNumber;
	}

	/**
	 * Adds a notice if all digits in `bytes[start, end)`, a text on the lines `from` to `to`, are one card number, and
	 * those of one of the lines are not.
	 */
	whole(bytes: Uint8Array, start: number, end: number, from: number, to: number, found: Findings): void {
		this.#count = 0;
		let lineStart = 0;
		let hasOwn = false;
		for (let i = start; i < end && this.#count <= MAX_DIGITS; i++) {
			if (isDigit(bytes[i])) this.#digits[this.#count++] = bytes[i];
			else if (bytes[i] === LF || bytes[i] === CR) {
				hasOwn ||= this.#isNumber(lineStart, this.#count);
				lineStart = this.#count;
			}
		}
		const isWhole = !hasOwn && LENGTHS.has(this.#count) && this.#isNumber(0, this.#count);
		if (isWhole) this.#tell(from, to, found);
		this.clear();
	}

	/** Wipes the digits of the last line. */
	clear(): void {
		this.#digits.fill(0);
		this.#count = 0;
	}

	#tell(from: number, to: number, found: Findings): void {
		const place = `A card number seems to be wrapped from line ${from} onto line ${to}: it was left as it is`;
		if (found.notices.has(place)) return;
		found.notice(this.#notices++ < MAX_NOTICES ? place : MORE_NOTICE);
	}

	#keepTail(bytes: Uint8Array, start: number, end: number): void {
		let from = end;
		let digits = 0;
		while (from > start && digits <= MAX_DIGITS) {
			if (isDigit(bytes[from - 1])) digits++;
			else if (!isGrouping(bytes[from - 1]) || !isDigit(bytes[from])) break;
			from--;
		}
		if (digits > MAX_DIGITS) return;
		this.#groups.length = 0;
		for (let i = from; i < end; i++) {
			if (!isDigit(bytes[i])) continue;
			if (i === from || !isDigit(bytes[i - 1])) this.#groups.push(this.#count);
			this.#digits[this.#count++] = bytes[i];
		}
		this.#tagLength = 0;
		while (this.#tagLength < MAX_TAG && isUpperLetter(bytes[start + this.#tagLength])) {
			this.#tag[this.#tagLength] = bytes[start + this.#tagLength];
			this.#tagLength++;
		}
	}

	#readHead(bytes: Uint8Array, start: number, end: number, lineNumber: number, found: Findings): void {
		const tail = this.#count;
		let at = this.#behindTag(bytes, start, end);
		while (at < end && this.#count < tail + MAX_DIGITS) {
			if (isDigit(bytes[at])) this.#digits[this.#count++] = bytes[at];
			else if (this.#count === tail || !isGrouping(bytes[at])) break;
			at++;
			const isGroupEnd = at === end || !isDigit(bytes[at]);
			if (!isGroupEnd || !isDigit(bytes[at - 1]) || !this.#isCard(tail)) continue;
			this.#tell(this.#tailLine, lineNumber, found);
			return;
		}
	}

	/** Returns where the text of a line begins: at its start, or behind the same tag as that of the previous line. */
	#behindTag(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		const tagEnd = start + this.#tagLength;
		while (at < tagEnd && at < end && bytes[at] === this.#tag[at - start]) at++;
		if (at < tagEnd) return start;
		while (at < end && bytes[at] === BLANK) at++;
		return at;
	}

	/**
	 * Tells whether the digits from the beginning of a group of the previous line up to the last digit read are a card
	 * number. Digits that are one without the other line do not count, because they are found there.
	 */
	#isCard(tail: number): boolean {
		for (const [index, from] of this.#groups.entries()) {
			const isFirst = index === this.#groups.length - 1 || this.#groups[index + 1] - from >= MIN_FIRST_GROUP;
			if (!isFirst || !LENGTHS.has(this.#count - from) || !this.#isNumber(from, this.#count)) continue;
			return !this.#isNumber(from, tail) && !this.#isNumber(tail, this.#count);
		}
		return false;
	}

	#isNumber(from: number, to: number): boolean {
		return cardBrandOf(this.#digits, from, to - from) !== 0;
	}
}

/** Tells from the first byte of the next line whether it may repeat the tag of this one or go on with digits. */
function mayGoOn(bytes: Uint8Array, start: number, end: number, to: number): boolean {
	let at = end;
	while (at < to && (bytes[at] === CR || bytes[at] === LF || bytes[at] === FORM_FEED)) at++;
	return at === to || bytes[at] === bytes[start] || bytes[at] === BLANK || isDigit(bytes[at]);
}
