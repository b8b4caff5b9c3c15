import { EscapeMarks, EscapeReader, type EscapeStyle } from './escapes.ts';
import { type InnerMarkup, innerMarkupAt, isBalanced, nextMarkup } from './inner-markup.ts';
import { countBelow, type NumberPlaces, PLACE } from './number-places.ts';

const BACKSLASH = 0x5c;

/**
 * A stretch of text whose escapes were undone. It remembers where each piece of the original text went, to tell the
 * offset that a byte had there.
 */
export class Unescaped {
	readonly #bytes: Buffer;
	readonly #mayHoldMarkup: boolean;
	readonly #plain: Buffer;
	#length = 0;
	/** For each piece, the offsets at which it begins in the plain text and in the original. */
	readonly #plainStarts: number[] = [];
	readonly #starts: number[] = [];

	/**
	 * Undoes the escapes of `bytes[start, end)`. `marks` are those of a window around it. Without them, the bytes are one
	 * value, of which the markup in it is no part.
	 */
	constructor(bytes: Buffer, start: number, end: number, style: EscapeStyle | undefined, windowMarks?: EscapeMarks) {
		const marks = windowMarks ?? new EscapeMarks(style).begin(bytes, start, end);
		const mayHoldMarkup = style === 'markup' && windowMarks === undefined;
		this.#bytes = bytes;
		this.#mayHoldMarkup = mayHoldMarkup;
		// An escape is never shorter than its character in UTF-8, except for one half of a surrogate pair.
		this.#plain = Buffer.allocUnsafe(end - start);
		const reader = new EscapeReader(style);
		// Text in CDATA is searched as other text is: people paste pieces of web pages into it.
		let cdata: InnerMarkup | undefined;
		let at = start;
		while (at < end) {
			if (at === cdata?.textEnd) {
				this.#begin(at);
				at = cdata.end;
				cdata = undefined;
				continue;
			}
			const textEnd = cdata?.textEnd ?? end;
			if (reader.read(bytes, at, textEnd)) {
				this.#begin(at);
				this.#put(reader.code);
				at += reader.width;
				continue;
			}
			const markup = mayHoldMarkup && cdata === undefined ? innerMarkupAt(bytes, at, end) : undefined;
			if (markup !== undefined) {
				this.#begin(at);
				this.#begin(markup.textStart);
				at = markup.textStart;
				cdata = markup;
				continue;
			}
			this.#begin(at);
			// A backslash that begins no escape of interest still belongs to the character after it: `\\u0034` has none.
			const isOddBackslash = style === 'json' && bytes[at] === BACKSLASH;
			const next = at + (isOddBackslash ? 2 : 1);
			const after = Math.min(mayHoldMarkup ? nextMarkup(bytes, next, textEnd) : textEnd, marks.next(next));
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
			const [start, end] = [places.starts[i], places.ends[i]];
			places.starts[i] = this.offsetOf(start);
			places.ends[i] = this.#endOf(end);
			if (!this.#mayHoldMarkup || isBalanced(this.#bytes, places.starts[i], places.ends[i])) continue;
			places.ends[i] = this.offsetOf(end);
			if (!isBalanced(this.#bytes, places.starts[i], places.ends[i])) places.kinds[i] = PLACE.TOLD;
		}
		this.#plain.fill(0);
	}

	/** Returns the offset in the original text of the character that begins at `at` in the plain text. */
	offsetOf(at: number): number {
		const piece = countBelow(this.#plainStarts, at + 1) - 1;
		return this.#starts[piece] + at - this.#plainStarts[piece];
	}

	/** Returns the offset in the original text at which the character ends that ends at `at` in the plain text. */
	#endOf(at: number): number {
		const first = countBelow(this.#plainStarts, at);
		if (this.#plainStarts[first] === at) return this.#starts[first];
		return this.#starts[first - 1] + at - this.#plainStarts[first - 1];
	}

	#begin(at: number): void {
		this.#plainStarts.push(this.#length);
		this.#starts.push(at);
	}

	/** Writes a character in UTF-8. */
	#put(code: number): void {
		if (code < 0x80) this.#plain[this.#length++] = code;
		else this.#length += this.#plain.write(String.fromCodePoint(code), this.#length);
	}
}

/**
 * Has `finder` search a value. If the value has escapes or markup, the text that it stands for is searched. Returns true if
 * it has none.
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
	if (marks.next(start) >= end && (style !== 'markup' || nextMarkup(bytes, start, end) === end)) {
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
