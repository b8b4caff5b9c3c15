import { EscapeMarks, EscapeReader, type EscapeStyle } from './escapes.ts';
import type { NumberPlaces } from './number-places.ts';

const BACKSLASH = 0x5c;

/**
 * A stretch of text whose escapes were undone. It remembers where each piece of the original text went, to tell the
 * offset that a byte had there.
 */
export class Unescaped {
	readonly #plain: Buffer;
	#length = 0;
	/** For each piece, the offsets at which it begins in the plain text and in the original. */
	readonly #plainStarts: number[] = [];
	readonly #starts: number[] = [];

	/** Undoes the escapes of `bytes[start, end)`. `marks` are those of a window around it. */
	constructor(
		bytes: Buffer,
		start: number,
		end: number,
		style: EscapeStyle | undefined,
		marks = new EscapeMarks(style).begin(bytes, start, end),
	) {
		// An escape is never shorter than its character in UTF-8, except for one half of a surrogate pair.
		this.#plain = Buffer.allocUnsafe(end - start);
		const reader = new EscapeReader(style);
		let at = start;
		while (at < end) {
			if (reader.read(bytes, at, end)) {
				this.#begin(at);
				this.#put(reader.code);
				at += reader.width;
				continue;
			}
			this.#begin(at);
			// A backslash that begins no escape of interest still belongs to the character after it: `\\u0034` has none.
			const isOddBackslash = style === 'json' && bytes[at] === BACKSLASH;
			const after = Math.min(end, marks.next(at + (isOddBackslash ? 2 : 1)));
			this.#length += bytes.copy(this.#plain, this.#length, at, after);
			at = after;
		}
		this.#begin(end);
	}

	get bytes(): Buffer {
		return this.#plain.subarray(0, this.#length);
	}

	/** Moves places in the plain text to where they are in the original, and wipes the plain text. */
	move(places: NumberPlaces): void {
		for (let i = 0; i < places.count; i++) {
			places.starts[i] = this.offsetOf(places.starts[i]);
			places.ends[i] = this.offsetOf(places.ends[i]);
		}
		this.#plain.fill(0);
	}

	/** Returns the offset in the original text of the character that begins at `at` in the plain text. */
	offsetOf(at: number): number {
		let low = 0;
		let high = this.#plainStarts.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (this.#plainStarts[middle] <= at) low = middle;
			else high = middle;
		}
		return this.#starts[low] + at - this.#plainStarts[low];
	}

	#begin(at: number): void {
		this.#plainStarts.push(this.#length);
		this.#starts.push(at);
	}

	/** Writes a character in UTF-8. */
	#put(code: number): void {
		const plain = this.#plain;
		if (code < 0x80) plain[this.#length++] = code;
		else if (code < 0x800) {
			plain[this.#length++] = 0xc0 | (code >> 6);
			plain[this.#length++] = 0x80 | (code & 0x3f);
		} else {
			if (code < 0x10000) plain[this.#length++] = 0xe0 | (code >> 12);
			else {
				plain[this.#length++] = 0xf0 | (code >> 18);
				plain[this.#length++] = 0x80 | ((code >> 12) & 0x3f);
			}
			plain[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
			plain[this.#length++] = 0x80 | (code & 0x3f);
		}
	}
}

/**
 * Has `finder` search a value. If the value has escapes, the text that they stand for is searched. Returns true if it has
 * none.
 */
export function findInValue(
	finder: { find(bytes: Buffer, start: number, end: number, places: NumberPlaces): void },
	bytes: Buffer,
	start: number,
	end: number,
	places: NumberPlaces,
	style?: EscapeStyle,
): boolean {
	const marks = VALUE_MARKS[style ?? 'none'].begin(bytes, start, end);
	if (marks.next(start) >= end) {
		finder.find(bytes, start, end, places);
		return true;
	}
	const text = new Unescaped(bytes, start, end, style);
	finder.find(text.bytes, 0, text.bytes.length, places);
	text.move(places);
	return false;
}

/** One set of marks serves all values, because a search is never interrupted by another one. */
const VALUE_MARKS = {
	none: new EscapeMarks(undefined),
	json: new EscapeMarks('json'),
	markup: new EscapeMarks('markup'),
};
