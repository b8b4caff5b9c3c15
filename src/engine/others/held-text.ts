// Finds the text at the end of a window that waits for the next window, because a number or token in it may continue
// there. So what is found does not depend on how a file is cut into windows.

import { isAlphanumeric, isHexDigit } from '../../base/card/ascii.ts';
import { SHORTEST_CARD } from '../../base/card/card-digits.ts';
import { signWidthBefore } from '../../base/card/finder/divided-groups.ts';
import { EscapeReader, type EscapeStyle } from '../../base/card/finder/escapes.ts';
import { MOST_SIGNS } from '../../base/card/finder/number-decoys.ts';
import { isMask } from '../../base/card/number.ts';
import { indexOfCutCode } from '../../base/card/spelling/code-before.ts';
import { LONGEST_TAIL } from '../../base/card/spelling/code-behind.ts';
import { DigitReader, UNIT } from '../../base/card/spelling/digit-text.ts';
import { indexOfCutLabel } from './other-codes.ts';
import { heldContext } from './text-around.ts';

const SEMICOLON = 0x3b;
const LF = 0x0a;
const CR = 0x0d;
/**
 * A run of digits and separators that may continue after the window waits for the next one, so that it is examined in
 * one piece. At most this many bytes wait.
 */
const MOST_HELD_RUN = 65_536;
/** Signs between digits extend a run as long as it has at most this many bytes. */
const MOST_HELD_SIGNS = 1024;
/**
 * At most this many bytes of a word wait for the next window. The whole word is needed to tell a hash or a bank account
 * number from a card number.
 */
const MOST_HELD_WORD = 1024;
/** A masked number has this many mask characters in a row. */
const LEAST_MASKS = 4;

/** Finds the text that waits when a file is tokenized. One instance serves one pass. */
export class HeldText {
	readonly #reader = new DigitReader();
	readonly #escapes: EscapeReader;
	/** True if a line end may stand in the text of one place: in XML, whose text has no lines. */
	readonly #passesLines: boolean;
	/** The length of the digit, separator or sign that was read last. */
	#width = 0;

	constructor(style: EscapeStyle | undefined) {
		this.#escapes = new EscapeReader(style);
		this.#passesLines = style === 'markup';
	}

	/**
	 * Returns the start of the text that may be part of a number or code continuing after `end`; `end` if there is none.
	 */
	startOf(bytes: Buffer, start: number, end: number): number {
		const word = this.#wordStart(bytes, start, end);
		const context = heldContext(bytes, start, end);
		const at = context === end ? word : Math.min(word, this.#wordStart(bytes, start, context));
		const label = indexOfCutLabel(bytes, start, end);
		const cut = Math.min(indexOfCutCode(bytes, start, end), label === -1 ? end : label);
		return this.#tailStart(bytes, start, cut === end ? at : Math.min(at, this.#wordStart(bytes, start, cut)));
	}

	/** Returns the start of the number, masked or not, before `at` whose security code may continue there, or `at` if there is none. */
	#tailStart(bytes: Buffer, start: number, at: number): number {
		const least = Math.max(start, at - LONGEST_TAIL);
		for (let i = at; i > least; i--) {
			if (!mayEndDigit(bytes[i - 1]) || this.#readBefore(bytes, i, start, false) !== UNIT.DIGIT) continue;
			const first = this.#wordStart(bytes, start, i);
			let digits = 0;
			let masks = 0;
			for (let read = i; read > first && masks < LEAST_MASKS; read -= this.#width) {
				masks = isMask(bytes[read - 1]) ? masks + 1 : 0;
				const unit = this.#readBefore(bytes, read, start, true);
				if (unit === UNIT.DIGIT) digits++;
				else if (unit === UNIT.NONE) this.#width = 1;
			}
			if (digits >= SHORTEST_CARD || masks === LEAST_MASKS) return first;
			i = first + 1;
		}
		return at;
	}

	#wordStart(bytes: Buffer, start: number, end: number): number {
		const whole = wholeCharactersEnd(bytes, start, this.#escapes.cutBefore(bytes, start, end));
		let at = whole;
		for (;;) {
			const run = this.#runStart(bytes, start, at, end);
			const leastOfWord = Math.max(start, run - MOST_HELD_WORD);
			let word = run;
			while (word > leastOfWord && isAlphanumeric(bytes[word - 1]) && !this.#escapes.readBefore(bytes, word, start))
				word--;
			// If the word begins with digits, they may be the end of a longer run: `4111 1111 1111 1111abc`. If it begins like a
			// token, it may be one, which changes what the number before it means.
			const goesOn = word < run && isHexDigit(bytes[word]) && whole - word < MOST_HELD_WORD;
			if (!goesOn) return word;
			at = word;
		}
	}

	/** Returns the start of the run of digits, separators and signs before `at`; `at` if there is no digit in it. */
	#runStart(bytes: Buffer, start: number, at: number, end: number): number {
		const least = Math.max(start, end - MOST_HELD_RUN);
		const leastOfSigns = Math.max(start, end - MOST_HELD_SIGNS);
		let first = at;
		let hasDigit = false;
		for (;;) {
			const unit = this.#readBefore(bytes, first, least, first > leastOfSigns);
			if (unit === UNIT.NONE) break;
			hasDigit ||= unit === UNIT.DIGIT;
			first -= this.#width;
		}
		return hasDigit || at - first <= MOST_SIGNS ? first : at;
	}

	/** Reads what ends before `at`: a digit, a separator, or a sign, each of which may be spelled with an escape. */
	#readBefore(bytes: Buffer, at: number, start: number, withSigns: boolean): number {
		const escapes = this.#escapes;
		if (escapes.readBefore(bytes, at, start)) {
			this.#width = escapes.width;
			// One half of a surrogate pair may be half of a digit.
			if (escapes.code === 0xfffd) return UNIT.DIGIT;
			const character = Buffer.from(String.fromCodePoint(escapes.code));
			const unit = this.#reader.read(character, 0, character.length);
			const isSign = unit === UNIT.NONE && signWidthBefore(character, character.length, 0) === character.length;
			return isSign && withSigns ? UNIT.SEPARATOR : unit;
		}
		const unit = this.#reader.readBefore(bytes, at, start);
		this.#width = this.#reader.width;
		if (unit !== UNIT.NONE || !withSigns) return unit;
		if (this.#passesLines && at > start && (bytes[at - 1] === LF || bytes[at - 1] === CR)) return UNIT.SEPARATOR;
		this.#width = signWidthBefore(bytes, at, start);
		return this.#width > 0 ? UNIT.SEPARATOR : UNIT.NONE;
	}
}

/** Returns the start of the hexadecimal digits before `end`. A token may begin in them and continue after `end`. */
export function heldToken(bytes: Uint8Array, start: number, end: number): number {
	const least = Math.max(start, end - MOST_HELD_RUN);
	let at = end;
	while (at > least && isHexDigit(bytes[at - 1])) at--;
	return at;
}

/** Tells whether a byte may be the last one of a digit: one above ASCII, or the end of an escape. Most letters are neither. */
function mayEndDigit(byte: number): boolean {
	return byte >= 0x80 || isHexDigit(byte) || byte === SEMICOLON;
}

/** Returns the end of the last complete UTF-8 character: the text may be cut at `end`, in the middle of a character. */
function wholeCharactersEnd(bytes: Uint8Array, start: number, end: number): number {
	for (let at = end - 1; at >= Math.max(start, end - 3); at--) {
		if (bytes[at] < 0x80) return end;
		if (bytes[at] >= 0xc2) return at;
	}
	return end;
}
