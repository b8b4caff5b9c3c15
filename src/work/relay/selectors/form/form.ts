// Reads form bodies (`application/x-www-form-urlencoded`). Fields are found by their names, and the whole form is the
// only container.

import type { Edits } from '../../../../engine/splice.ts';
import type { BodyFormat, NamedNode, Query } from '../body-format.ts';
import { bomLengthOf, type Charset, findCharset, UTF_8 } from '../charset.ts';
import { type Place, writeAscii } from '../place.ts';
import { refusal, UnusableSelector } from '../problems.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;

const MAX_FIELDS = 10_000;

interface Field {
	readonly name: string;
	/** The offset where the value begins; for a name without `=`, the offset after the name. */
	readonly start: number;
	readonly end: number;
	readonly hasEquals: boolean;
}

interface FormBody {
	readonly bytes: Buffer;
	readonly charset: Charset;
	readonly fields: readonly Field[];
}

/** Selects from form bodies by the names of fields. */
export class FormFormat implements BodyFormat<FormBody> {
	/** In a form, an expression is the name of a field, and the only container is the form. */
	compile(expression: string): Query<FormBody> {
		if (expression === '') throw new UnusableSelector('expected the name of a form field');
		return ({ fields }) => {
			const found: number[] = [];
			for (let i = 0; i < fields.length; i++) if (fields[i].name === expression) found.push(i);
			return found;
		};
	}

	open(bytes: Buffer, contentType: string | undefined): FormBody {
		const charset = findCharset(contentType) ?? UTF_8;
		const fields: Field[] = [];
		for (let at = bomLengthOf(bytes); at < bytes.length; ) {
			const ampersand = bytes.indexOf(AMPERSAND, at);
			const end = ampersand < 0 ? bytes.length : ampersand;
			if (end > at) {
				if (fields.length === MAX_FIELDS) throw refusal(`the form has more than ${MAX_FIELDS} fields`);
				fields.push(fieldAt(bytes, at, end, charset));
			}
			at = end + 1;
		}
		return { bytes, charset, fields };
	}

	close(): void {}

	named({ fields }: FormBody): NamedNode[] {
		return fields.map(({ name }, node) => ({ name, node }));
	}

	findPlace({ bytes, charset, fields }: FormBody, node: number): Place {
		return new FormPlace(bytes, charset, fields[node]);
	}
}

/** Tells whether a body looks like a form: escaped names and values in one line, unlike text, JSON and markup. */
export function isWrittenAsForm(bytes: Buffer): boolean {
	const text = bytes.toString('latin1').trimEnd();
	return text.includes('=') && !/[\s<>{}"]/.test(text);
}

function fieldAt(bytes: Buffer, start: number, end: number, charset: Charset): Field {
	let equals = start;
	while (equals < end && bytes[equals] !== EQUALS) equals++;
	const hasEquals = equals < end;
	return { name: decodeForm(bytes, start, equals, charset), start: hasEquals ? equals + 1 : end, end, hasEquals };
}

class FormPlace implements Place {
	readonly start: number;
	readonly #bytes: Buffer;
	readonly #charset: Charset;
	readonly #field: Field;

	constructor(bytes: Buffer, charset: Charset, field: Field) {
		this.start = field.start;
		this.#bytes = bytes;
		this.#charset = charset;
		this.#field = field;
	}

	read(): string {
		return decodeForm(this.#bytes, this.start, this.#field.end, this.#charset);
	}

	write(edits: Edits, text: string): void {
		if (text === '' && !this.#field.hasEquals) return;
		const encoded = encodeForm(text, this.#charset);
		writeAscii(edits, this.start, this.#field.end, this.#field.hasEquals ? encoded : `=${encoded}`);
	}
}

/** Decodes a name or value: `+` is a blank, `%` begins two hexadecimal digits or, as in browsers, stands for itself. */
function decodeForm(bytes: Buffer, start: number, end: number, charset: Charset): string {
	let at = start;
	while (at < end && bytes[at] !== PERCENT && bytes[at] !== PLUS) at++;
	if (at === end) return charset.decode(bytes, start, end);
	const plain = Buffer.alloc(end - start);
	let length = 0;
	for (at = start; at < end; at++) {
		const code = bytes[at] === PERCENT && at + 2 < end ? bytes.toString('latin1', at + 1, at + 3) : '';
		if (/^[0-9A-Fa-f]{2}$/.test(code)) {
			plain[length++] = Number.parseInt(code, 16);
			at += 2;
		} else plain[length++] = bytes[at] === PLUS ? 0x20 : bytes[at];
	}
	return charset.decode(plain, 0, length);
}

/** Escapes a value as a browser would; characters that the charset lacks become `?`. */
export function encodeForm(text: string, charset: Charset): string {
	if (/^[\w*.-]*$/.test(text)) return text;
	let out = '';
	for (const byte of charset.encode(text, () => '?')) {
		const character = String.fromCharCode(byte);
		if (byte < 0x80 && /[\w*.-]/.test(character)) out += character;
		else out += byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
	}
	return out;
}
