import type { XmlReader } from '../../../src/base/text/xml.ts';
import { HeldValues } from '../held-value.ts';
import { fieldName, nameText, shownName } from '../shown-name.ts';

/** A file with deeper nesting than this is refused. */
export const MAX_MARKUP_DEPTH = 512;
/** An element name longer than this is refused, so that the names of all open elements fit in fixed memory. */
export const MAX_NAME_BYTES = 256;

/** Holds the open elements, root first: their names as written, and their codes in the selectors. */
export class OpenElements {
	depth = 0;
	/** The code of the local name at each depth, from 1; 0 if no selector names it. */
	readonly codes = new Int32Array(MAX_MARKUP_DEPTH + 1);
	readonly #names = Buffer.alloc(MAX_MARKUP_DEPTH * MAX_NAME_BYTES);
	readonly #ends = new Int32Array(MAX_MARKUP_DEPTH + 1);

	/** Adds an element. The caller has checked that its depth and the length of its name are within the limits. */
	push(bytes: Uint8Array, start: number, end: number, code: number): void {
		let at = this.#ends[this.depth++];
		for (let i = start; i < end; i++) this.#names[at++] = bytes[i];
		this.#ends[this.depth] = at;
		this.codes[this.depth] = code;
	}

	/** Tells whether the innermost element has the name in `bytes[start, end)`. */
	isInnermost(bytes: Uint8Array, start: number, end: number): boolean {
		let at = this.#ends[this.depth - 1];
		if (this.#ends[this.depth] - at !== end - start) return false;
		for (let i = start; i < end; i++) if (bytes[i] !== this.#names[at++]) return false;
		return true;
	}

	/** Returns the name at `depth` for an error text. */
	nameAt(depth: number): string {
		return shownName(this.#textAt(depth));
	}

	/** Returns the names of all open elements, for reporting where a number was found, by depth from 1. */
	names(): (string | undefined)[] {
		return Array.from({ length: this.depth + 1 }, (_, i) => (i === 0 ? undefined : fieldName(this.#textAt(i))));
	}

	#textAt(depth: number): string {
		return nameText(this.#names.subarray(this.#ends[depth - 1], this.#ends[depth]));
	}
}

/** Holds one start tag with its attributes. The object is reused; offsets point into the bytes it was read from. */
export class MarkupTag {
	/** The position of the `<`, and its line. */
	start = 0;
	startLine = 0;
	nameStart = 0;
	nameEnd = 0;
	/** The position at which the name without its prefix begins. */
	localStart = 0;
	/** The line of the byte after the tag. */
	line = 0;
	/** The values inside the quotes, under their local names. */
	readonly attributes = new HeldValues();

	/** Begins the tag whose name the reader has read. */
	begin({ nameStart, nameEnd, localStart, eventLine }: XmlReader): void {
		this.start = nameStart - 1;
		this.startLine = eventLine;
		this.nameStart = nameStart;
		this.nameEnd = nameEnd;
		this.localStart = localStart;
		this.attributes.length = 0;
	}

	/** Adds the attribute that the reader has read. */
	add({ localStart, nameEnd, start, stop, hasReference }: XmlReader): void {
		const value = this.attributes.next();
		value.nameStart = localStart;
		value.nameEnd = nameEnd;
		value.start = start;
		value.end = stop;
		value.isEscaped = hasReference;
	}
}
