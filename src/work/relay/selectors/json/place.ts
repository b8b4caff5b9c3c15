import type { Edits } from '../../../../engine/splice.ts';
import { type Charset, isAscii } from '../charset.ts';
import { type Place, writeAscii } from '../place.ts';
import { END, JSON_KIND, type JsonTape, KIND, START, STRIDE } from './tape.ts';

/** Returns the place of a string, a number or a null; other values contain no part of a card. */
export function findJsonPlace(tape: JsonTape, index: number): Place | undefined {
	const row = index * STRIDE;
	const kind = tape.cells[row + KIND];
	if (kind < JSON_KIND.STRING || kind === JSON_KIND.LITERAL) return undefined;
	return new JsonPlace(tape, kind, tape.cells[row + START], tape.cells[row + END]);
}

/**
 * Matches a text that may stand without quotes where a JSON number stood. A text of more digits than a card number has is
 * written as a string: a token may consist of digits alone by chance, and a program that reads it as a number would round
 * it.
 */
const BARE_NUMBER = /^(?:0|[1-9]\d{0,18})$/;

class JsonPlace implements Place {
	readonly start: number;
	readonly #end: number;
	readonly #kind: number;
	readonly #bytes: Buffer;
	readonly #charset: Charset;

	constructor(tape: JsonTape, kind: number, start: number, end: number) {
		this.start = start;
		this.#end = end;
		this.#kind = kind;
		this.#bytes = tape.bytes;
		this.#charset = tape.charset;
	}

	read(): string {
		if (this.#kind === JSON_KIND.NULL) return '';
		const text = this.#charset.decode(this.#bytes, this.start, this.#end);
		return this.#kind === JSON_KIND.ESCAPED_STRING ? JSON.parse(`"${text}"`) : text;
	}

	write(edits: Edits, text: string, isDate: boolean): void {
		if (this.#kind === JSON_KIND.STRING || this.#kind === JSON_KIND.ESCAPED_STRING) this.#writeString(edits, text, '');
		else if (this.#kind === JSON_KIND.NULL && text === '') return;
		else if (this.#kind === JSON_KIND.NULL) this.#writeString(edits, text, '"');
		else {
			const bare = isDate ? text.replace(/^0+(?=\d)/, '') : text;
			if (BARE_NUMBER.test(bare)) writeAscii(edits, this.start, this.#end, bare);
			else this.#writeString(edits, text, '"');
		}
	}

	#writeString(edits: Edits, text: string, quote: string): void {
		const escaped = quote + escapeJson(text) + quote;
		if (isAscii(escaped)) writeAscii(edits, this.start, this.#end, escaped);
		else edits.replace(this.start, this.#end, this.#charset.encode(escaped, escapeUnits));
	}
}

/** Encodes the text inside a JSON string. */
export function escapeJson(text: string): string {
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text).slice(1, -1);
	}
	return text;
}

/** Writes a character that the charset of a body lacks as a `\u` escape. */
export function escapeUnits(character: string): string {
	return Array.from({ length: character.length }, (_, i) => {
		return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
	}).join('');
}
