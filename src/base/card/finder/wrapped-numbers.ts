// Tells of card numbers that a screen, a cell or a text has wrapped onto several lines (formats §2.10). Such a number cannot
// be swapped, so a notice names its place.

import { isDigit, isUpperLetter } from '../ascii.ts';
import { cardBrandOf, ISSUED_LENGTHS, LONGEST_CARD } from '../card-digits.ts';
import { BYTE, BYTE_CLASS } from '../spelling/digit-text.ts';
import { LEAST_OF_FIRST_GROUP } from '../spelling/printed-groups.ts';

/** The next line may repeat a tag of at most this many letters (`RM`, `OTHS`). */
const MAX_TAG = 4;
/** At most this many notices name a place, because a file may have any number of such lines. */
const MAX_NOTICES = 20;
const MORE_NOTICE = 'More card numbers seem to be wrapped onto two lines: they were left as they are';
/** The line ends LF, form feed and CR are from tab to CR, and one that is written as an escape is a tab. */
const TAB = 0x09;
const CR = 0x0d;
const BLANK = 0x20;

/** Takes notices about a file; a repeated text is kept once. */
export interface Notices {
	readonly notices: ReadonlySet<string>;
	notice(text: string): void;
}

/**
 * Compares the digits at the end of each line with those at the start of the next. One instance serves one file. It
 * keeps digits in clear, so call `end` or `clear` at the end of a text.
 */
export class WrappedNumbers {
	/** The digits at the end of the previous line, followed by those at the start of the current one. */
	readonly #digits = new Uint8Array(2 * LONGEST_CARD);
	/** The positions in `#digits` at which a group of the previous line begins. */
	readonly #groups: number[] = [];
	#count = 0;
	/** All digits from the end of the line `#runFrom` on, if the lines behind it have nothing but digits. */
	readonly #run = new Uint8Array(LONGEST_CARD + 1);
	#runCount = 0;
	#runFrom = 0;
	#runLines = 0;
	/** True if the digits on one of these lines are a number by themselves. */
	#hasOwn = false;
	/** True if the last line ended with digits. */
	#isOpen = false;
	#line = 0;
	readonly #tag = new Uint8Array(MAX_TAG);
	#tagLength = 0;
	#notices = 0;

	/**
	 * Examines the next line of a text, and adds a notice if a card number seems to end in it. `to` is the end of the text
	 * that is in memory. `textStart` is where the text of the line begins behind a name with a number (`M801`).
	 */
	line(
		bytes: Uint8Array,
		start: number,
		end: number,
		to: number,
		line: number,
		found: Notices,
		textStart = start,
	): void {
		let last = end;
		while (last > textStart && isSeparator(bytes[last - 1])) last--;
		const mayBegin = last > textStart && isDigit(bytes[last - 1]) && mayGoOn(bytes, start, end, to);
		if (mayBegin || this.#isOpen) this.#examine(bytes, start, last, line, found, textStart, mayBegin);
	}

	/** Ends a text, whose last line may be that of a wrapped number. */
	end(found: Notices): void {
		this.#endRun(this.#line, found);
		this.clear();
	}

	/** Wipes the digits of the last lines, which are part of no wrapped number. */
	clear(): void {
		this.#digits.fill(0);
		this.#run.fill(0);
		this.#count = this.#runCount = 0;
		this.#isOpen = false;
	}

	/** Examines a line that ends with digits, or stands behind one that does. */
	#examine(
		bytes: Uint8Array,
		start: number,
		end: number,
		line: number,
		found: Notices,
		textStart: number,
		mayBegin: boolean,
	): void {
		const head = this.#isOpen ? this.#behindTag(bytes, start, end, textStart) : end;
		if (this.#count > 0) this.#readHead(bytes, head, end, line, found);
		const isWhole = this.#runCount > 0 && this.#readOn(bytes, head, end, line, found);
		this.#count = 0;
		this.#line = line;
		if (mayBegin) this.#keepTail(bytes, start, textStart, end, isWhole);
		else this.#endRun(line, found);
		this.#isOpen = this.#count + this.#runCount > 0;
	}

	#keepTail(bytes: Uint8Array, start: number, textStart: number, end: number, isWhole: boolean): void {
		let from = end;
		let digits = 0;
		while (from > textStart && digits <= LONGEST_CARD) {
			if (isDigit(bytes[from - 1])) digits++;
			else if (!isSeparator(bytes[from - 1]) || !isDigit(bytes[from])) break;
			from--;
		}
		if (!isWhole) {
			this.#runCount = 0;
			this.#runFrom = this.#line;
			this.#runLines = 1;
			this.#hasOwn = false;
			this.#addToRun(bytes, from, end);
		}
		if (digits > LONGEST_CARD) return;
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

	#readHead(bytes: Uint8Array, head: number, end: number, line: number, found: Notices): void {
		const tail = this.#count;
		for (let at = head; at < end && this.#count < tail + LONGEST_CARD; at++) {
			if (isDigit(bytes[at])) this.#digits[this.#count++] = bytes[at];
			else if (this.#count === tail || !isSeparator(bytes[at])) return;
			const isGroupEnd = at + 1 === end || !isDigit(bytes[at + 1]);
			if (!isGroupEnd || !isDigit(bytes[at]) || !this.#isCard(tail)) continue;
			this.#tell(this.#line, line, found);
			return;
		}
	}

	/** Adds the digits at the start of a line to those before it. Returns whether the line has nothing else. */
	#readOn(bytes: Uint8Array, head: number, end: number, line: number, found: Notices): boolean {
		let at = head;
		while (at < end && (isDigit(bytes[at]) || isSeparator(bytes[at]))) at++;
		const isWhole = at === end && head < end;
		if (at > head) {
			this.#addToRun(bytes, head, at);
			this.#runLines++;
		}
		if (!isWhole) this.#endRun(at > head ? line : this.#line, found);
		return isWhole;
	}

	#addToRun(bytes: Uint8Array, start: number, end: number): void {
		const before = this.#runCount;
		for (let i = start; i < end && this.#runCount <= LONGEST_CARD; i++) {
			if (isDigit(bytes[i])) this.#run[this.#runCount++] = bytes[i];
		}
		this.#hasOwn ||= cardBrandOf(this.#run, before, this.#runCount - before) !== 0;
	}

	/** Tells of a number on three lines or more, to which all digits of these lines belong. */
	#endRun(to: number, found: Notices): void {
		const isOnThree = this.#runLines > 2 && !this.#hasOwn && ISSUED_LENGTHS.has(this.#runCount);
		if (isOnThree && cardBrandOf(this.#run, 0, this.#runCount) !== 0) this.#tell(this.#runFrom, to, found);
		this.#runCount = 0;
	}

	/** Returns where the digits of a line begin: at its text, or behind the same tag as that of the previous line. */
	#behindTag(bytes: Uint8Array, start: number, end: number, textStart: number): number {
		let at = textStart;
		const tagEnd = start + this.#tagLength;
		if (textStart === start) {
			while (at < tagEnd && at < end && bytes[at] === this.#tag[at - start]) at++;
			if (at < tagEnd) at = start;
		}
		while (at < end && bytes[at] === BLANK) at++;
		return at;
	}

	/**
	 * Tells whether the digits from the beginning of a group of the previous line up to the last digit read are a card
	 * number. Digits that are one without the other line do not count, because they are found there.
	 */
	#isCard(tail: number): boolean {
		for (const [index, from] of this.#groups.entries()) {
			const isFirst = index === this.#groups.length - 1 || this.#groups[index + 1] - from >= LEAST_OF_FIRST_GROUP;
			if (!isFirst || !ISSUED_LENGTHS.has(this.#count - from) || !this.#isNumber(from, this.#count)) continue;
			return !this.#isNumber(from, tail) && !this.#isNumber(tail, this.#count);
		}
		return false;
	}

	#isNumber(from: number, to: number): boolean {
		return cardBrandOf(this.#digits, from, to - from) !== 0;
	}

	#tell(from: number, to: number, found: Notices): void {
		const place = from === to ? `by the line breaks written in line ${from}` : `from line ${from} onto line ${to}`;
		const notice = `A card number seems to be wrapped ${place}: it was left as it is`;
		if (found.notices.has(notice)) return;
		found.notice(this.#notices++ < MAX_NOTICES ? notice : MORE_NOTICE);
	}
}

function isSeparator(byte: number): boolean {
	return BYTE_CLASS[byte] === BYTE.SEPARATOR;
}

/**
 * Tells whether the next line may go on with digits: at its start, behind the tag of this line, or behind its own name with an
 * item number (`M801`).
 */
function mayGoOn(bytes: Uint8Array, start: number, end: number, to: number): boolean {
	let at = end;
	while (at < to && bytes[at] <= CR && bytes[at] >= TAB) at++;
	if (at < to && bytes[at] === bytes[start]) {
		if (isDigit(bytes[at + 2]) && isDigit(bytes[at + 3])) return true;
		for (let i = start; i < start + MAX_TAG && isUpperLetter(bytes[i]); i++, at++) {
			if (at < to && bytes[at] !== bytes[i]) return false;
		}
		while (at < to && bytes[at] === BLANK) at++;
	}
	return at >= to || isSeparator(bytes[at]) || isDigit(bytes[at]);
}
