import { fieldName, nameText } from '../shown-name.ts';
import { isBlank, NAME_BYTES } from './text.ts';

const LT = 0x3c;
const GT = 0x3e;

/** Marks the end of a comment, a CDATA section or an instruction in which a window begins. */
export type SectionClose = '-->' | ']]>' | '?>';

/**
 * Names the element or attribute whose value contains an offset. To find it, the window is read a second time. Each
 * search continues where the one before it ended, so many offsets in ascending order need only one such reading.
 */
export class MarkupPlace {
	#open: readonly string[] = [];
	#close: SectionClose | undefined;
	#at = -1;
	/** Holds the open elements, outermost first: by name if they opened in an earlier window, otherwise by position. */
	readonly #stack: (string | readonly [start: number, end: number])[] = [];

	/** Starts a window inside these open elements, and inside a section if `close` is given. */
	begin(open: readonly string[], close: SectionClose | undefined): void {
		this.#open = open;
		this.#close = close;
		this.#at = -1;
	}

	/**
	 * Returns the element or attribute whose value contains an offset.
	 * @param at is an offset of the window that begins at `from`
	 */
	find(bytes: Buffer, from: number, at: number): string | undefined {
		if (this.#at < 0 || at < this.#at) {
			this.#stack.splice(0, this.#stack.length, ...this.#open);
			this.#at = this.#close === undefined ? from : endOf(bytes, this.#close, from);
		}
		for (;;) {
			const tag = bytes.indexOf(LT, this.#at);
			if (at < this.#at || tag < 0 || tag > at) return this.#innermost(bytes);
			const second = bytes[tag + 1];
			if (second === 0x21 || second === 0x3f) {
				const end = endOf(bytes, closeOf(bytes, tag), tag + 2);
				if (at < end) return this.#innermost(bytes);
				this.#at = end;
			} else if (second === 0x2f) {
				const end = endOf(bytes, '>', tag);
				if (at < end) return undefined;
				this.#stack.pop();
				this.#at = end;
			} else {
				const end = tagEnd(bytes, tag);
				if (at < end) return attributeAt(bytes, tag, at);
				if (bytes[end - 2] !== 0x2f) this.#stack.push([tag + 1, nameEnd(bytes, tag + 1)]);
				this.#at = end;
			}
		}
	}

	#innermost(bytes: Buffer): string | undefined {
		const name = this.#stack.at(-1);
		if (name === undefined || typeof name === 'string') return name || undefined;
		return shown(bytes, name[0], name[1]);
	}
}

const shown = (bytes: Buffer, start: number, end: number) => fieldName(nameText(bytes.subarray(start, end)));

function closeOf(bytes: Buffer, at: number): SectionClose {
	if (bytes[at + 1] === 0x3f) return '?>';
	return bytes[at + 2] === 0x5b ? ']]>' : '-->';
}

function endOf(bytes: Buffer, close: string, from: number): number {
	const at = bytes.indexOf(close, from);
	return at < 0 ? bytes.length : at + close.length;
}

function nameEnd(bytes: Buffer, at: number): number {
	while (at < bytes.length && NAME_BYTES[bytes[at]] !== 0) at++;
	return at;
}

/** Returns the position after the `>` of the tag at `at`. A `>` inside a value does not end the tag. */
function tagEnd(bytes: Buffer, at: number): number {
	let quote = 0;
	for (; at < bytes.length; at++) {
		const byte = bytes[at];
		if (quote !== 0) {
			if (byte === quote) quote = 0;
		} else if (byte === GT) return at + 1;
		else if (byte === 0x22 || byte === 0x27) quote = byte;
	}
	return at;
}

/** Returns the attribute of the tag at `tag` whose value contains `at`. */
function attributeAt(bytes: Buffer, tag: number, at: number): string | undefined {
	let place = nameEnd(bytes, tag + 1);
	while (place < at) {
		while (isBlank(bytes[place])) place++;
		const start = place;
		const end = nameEnd(bytes, start);
		const open = valueStart(bytes, end);
		if (end === start || open > at) return undefined;
		const close = bytes.indexOf(bytes[open - 1], open);
		if (close < 0 || at <= close) return shown(bytes, start, end);
		place = close + 1;
	}
	return undefined;
}

/** Returns the position after the quote that opens a value. */
function valueStart(bytes: Buffer, at: number): number {
	while (at < bytes.length && bytes[at] !== 0x22 && bytes[at] !== 0x27) at++;
	return at + 1;
}
