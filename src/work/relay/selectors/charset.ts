// Bodies are read by their bytes, so their encoding must contain ASCII: UTF-8, ISO-8859 and Windows-125x (spec §2.5).

import { bomLength, findWideMark } from '../../../base/text/byte-order-mark.ts';
import { refusal } from './problems.ts';

/** Converts text to the bytes of a body and back. */
export interface Charset {
	readonly name: string;
	decode(bytes: Buffer, start: number, end: number): string;
	/** Encodes text. A character that the charset lacks is replaced by the ASCII text that `instead` returns for it. */
	encode(text: string, instead: (character: string) => string): Buffer;
}

export const UTF_8: Charset = {
	name: 'utf-8',
	decode: (bytes, start, end) => bytes.toString('utf8', start, end),
	encode: (text) => Buffer.from(text, 'utf8'),
};

const US_ASCII = singleByteCharset('us-ascii', '');
const LATIN_1 = singleByteCharset(
	'iso-8859-1',
	Array.from({ length: 128 }, (_, i) => String.fromCharCode(128 + i)).join(''),
);

const known = new Map<string, Charset>([
	...['utf-8', 'utf8'].map((name) => [name, UTF_8] as const),
	...['us-ascii', 'ascii'].map((name) => [name, US_ASCII] as const),
	...['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'latin-1'].map((name) => [name, LATIN_1] as const),
]);

const SINGLE_BYTE = /^(?:iso[-_]?8859[-_]?(\d{1,2})|(?:windows|cp)-?(125\d))$/;

/** @throws ServiceError('bad-input-data') if it is not supported; the message names the charset */
export function getCharset(name: string): Charset {
	const folded = name.toLowerCase();
	const charset = known.get(folded) ?? openSingleByte(folded);
	if (charset === undefined) {
		const shown = name.replace(/[^\w.:-]/g, '?').replace(/\d{6,}/g, '?');
		throw refusal(`the body is ${shown.slice(0, 40)}; expected UTF-8, ISO-8859, Windows-125x or US-ASCII`);
	}
	return charset;
}

function openSingleByte(name: string): Charset | undefined {
	const [, iso, windows] = SINGLE_BYTE.exec(name) ?? [];
	const label = iso ? `iso-8859-${iso}` : windows ? `windows-${windows}` : undefined;
	if (label === undefined || label === 'iso-8859-12') return undefined;
	try {
		const upper = Uint8Array.from({ length: 128 }, (_, i) => 128 + i);
		const charset = singleByteCharset(label, new TextDecoder(label).decode(upper));
		known.set(name, charset);
		return charset;
	} catch {
		return undefined;
	}
}

/** @param upper has the characters for the bytes from 0x80 on. */
function singleByteCharset(name: string, upper: string): Charset {
	const bytesOf = new Map(Array.from(upper, (character, i) => [character, 128 + i]));
	bytesOf.delete('\ufffd');
	const isLatin1 = name === 'iso-8859-1';
	return {
		name,
		decode(bytes, start, end) {
			const text = bytes.toString('latin1', start, end);
			if (isLatin1) return text;
			return text.replace(/[\x80-\xff]/g, (character) => upper[character.charCodeAt(0) - 128] ?? '\ufffd');
		},
		encode(text, instead) {
			let out = '';
			for (const character of text) {
				const byte = character < '\x80' ? character.charCodeAt(0) : bytesOf.get(character);
				out += byte === undefined ? instead(character) : String.fromCharCode(byte);
			}
			return Buffer.from(out, 'latin1');
		},
	};
}

const PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;

export function findCharset(contentType: string | undefined): Charset | undefined {
	if (contentType === undefined || !contentType.includes(';')) return undefined;
	const [, quoted, bare] = PARAMETER.exec(contentType) ?? [];
	const name = quoted ?? bare;
	return name === undefined ? undefined : getCharset(name.trim());
}

/**
 * Returns the length of a UTF-8 byte order mark: 3 or 0.
 * @throws ServiceError('bad-input-data') for UTF-16 and UTF-32, recognised by their byte order mark or by a NUL among
 * the first three bytes
 */
export function bomLengthOf(bytes: Buffer): number {
	const bom = bomLength(bytes, 0, bytes.length);
	const hasNul = bytes[0] === 0 || bytes[1] === 0 || bytes[2] === 0;
	const wide = bytes[0] === 0 && bytes[1] === 0 ? 'UTF-32' : findWideMark(bytes, 0, bytes.length);
	if (bom > 0 || (wide === undefined && !hasNul)) return bom;
	const name = wide ?? 'UTF-16 or UTF-32';
	throw refusal(`the body is ${name}; expected UTF-8, ISO-8859, Windows-125x or US-ASCII`);
}

/** Tells whether every character of a text is ASCII, and therefore has the same byte in every supported charset. */
export function isAscii(text: string): boolean {
	for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
	return true;
}
