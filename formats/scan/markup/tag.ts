import { FileError } from '../../../src/engine/format.ts';
import { INCOMPLETE, isBlank, NAME_BYTES, referenceEnd } from './text.ts';

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

/** Reads one start tag as a whole. The object is reused; offsets point into the bytes it was read from. */
export class MarkupTag {
	nameStart = 0;
	nameEnd = 0;
	/** The position at which the name without its prefix begins. */
	localStart = 0;
	isEmpty = false;
	/** The line of the byte after the tag. */
	line = 0;
	attributeCount = 0;
	/** Holds four entries for each attribute: the start and end of its local name, and of its value inside the quotes. */
	attributes = new Int32Array(4 * 32);
	/**
	 * Marks the values that contain references. Each has its own byte, because a hostile tag has more attributes than a
	 * number has bits.
	 */
	isEscaped = new Uint8Array(32);

	/** Reads the tag whose `<` is at `at`; returns its end or `INCOMPLETE`. */
	read(bytes: Uint8Array, at: number, end: number, line: number): number {
		this.line = line;
		this.attributeCount = 0;
		this.nameStart = at + 1;
		at = this.#name(bytes, at + 1, end, 'expected an element name after "<"');
		if (at === INCOMPLETE) return INCOMPLETE;
		this.nameEnd = at;
		this.localStart = this.#localStart;
		for (;;) {
			const gap = at;
			at = this.#blanks(bytes, at, end);
			if (at >= end) return INCOMPLETE;
			const byte = bytes[at];
			if (byte === 0x3e) {
				this.isEmpty = false;
				return at + 1;
			}
			if (byte === 0x2f) {
				if (at + 1 >= end) return INCOMPLETE;
				if (bytes[at + 1] !== 0x3e) throw this.#error('expected ">" after "/" in a tag', at);
				this.isEmpty = true;
				return at + 2;
			}
			if (at === gap) throw this.#error('expected a blank before an attribute', at);
			at = this.#attribute(bytes, at, end);
			if (at === INCOMPLETE) return INCOMPLETE;
		}
	}

	#localStart = 0;

	/** Reads a name; returns its end or `INCOMPLETE`. */
	#name(bytes: Uint8Array, at: number, end: number, expected: string): number {
		if (at >= end) return INCOMPLETE;
		if (NAME_BYTES[bytes[at]] !== 1) throw this.#error(expected, at);
		this.#localStart = at;
		for (; at < end; at++) {
			const byte = bytes[at];
			if (NAME_BYTES[byte] === 0) return at;
			if (byte === COLON) this.#localStart = at + 1;
		}
		return INCOMPLETE;
	}

	#attribute(bytes: Uint8Array, at: number, end: number): number {
		const nameEnd = this.#name(bytes, at, end, 'expected an attribute name');
		if (nameEnd === INCOMPLETE) return INCOMPLETE;
		const localStart = this.#localStart;
		at = this.#blanks(bytes, nameEnd, end);
		if (at >= end) return INCOMPLETE;
		if (bytes[at] !== 0x3d) throw this.#error('expected "=" after an attribute name', at);
		at = this.#blanks(bytes, at + 1, end);
		if (at >= end) return INCOMPLETE;
		const quote = bytes[at];
		if (quote !== 0x22 && quote !== 0x27) throw this.#error('expected an attribute value in quotes', at);
		const valueEnd = this.#value(bytes, at + 1, end, quote);
		if (valueEnd === INCOMPLETE) return INCOMPLETE;
		this.#keep(localStart, nameEnd, at + 1, valueEnd);
		return valueEnd + 1;
	}

	/** Reads the value of an attribute; returns the position of its closing quote, or `INCOMPLETE`. */
	#value(bytes: Uint8Array, at: number, end: number, quote: number): number {
		this.#hasReference = 0;
		while (at < end) {
			const byte = bytes[at];
			if (byte === quote) return at;
			if (byte === 0x26) {
				this.#hasReference = 1;
				at = referenceEnd(bytes, at, end, this.line);
				if (at === INCOMPLETE) return INCOMPLETE;
				continue;
			}
			if (byte === 0x3c) throw this.#error('"<" in an attribute value', at);
			if (byte < 0x20) this.#control(bytes, at);
			at++;
		}
		return INCOMPLETE;
	}

	#hasReference = 0;

	#keep(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
		const slot = this.attributeCount * 4;
		if (slot === this.attributes.length) {
			const [places, marks] = [this.attributes, this.isEscaped];
			this.attributes = new Int32Array(places.length * 2);
			this.attributes.set(places);
			this.isEscaped = new Uint8Array(marks.length * 2);
			this.isEscaped.set(marks);
		}
		this.attributes[slot] = nameStart;
		this.attributes[slot + 1] = nameEnd;
		this.attributes[slot + 2] = valueStart;
		this.attributes[slot + 3] = valueEnd;
		this.isEscaped[this.attributeCount++] = this.#hasReference;
	}

	#blanks(bytes: Uint8Array, at: number, end: number): number {
		for (; at < end && isBlank(bytes[at]); at++) if (bytes[at] < 0x20) this.#control(bytes, at);
		return at;
	}

	/**
	 * Handles a control character inside a tag: counts a line end, accepts a tab and refuses any other. The byte before
	 * an LF is inside the tag too, so it shows whether the LF belongs to a CRLF, which counts once.
	 */
	#control(bytes: Uint8Array, at: number): void {
		const byte = bytes[at];
		if (byte === CR || (byte === LF && bytes[at - 1] !== CR)) this.line++;
		else if (byte !== LF && byte !== 0x09) throw this.#error('control character in a tag', at);
	}

	#error(message: string, offset: number): FileError {
		return new FileError(message, { offset, line: this.line }, { code: 'xml-malformed' });
	}
}
