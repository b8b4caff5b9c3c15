import { readUnicodeEscape } from '../card/finder/escapes.ts';
import { trimmed } from '../card/spelling/blanks.ts';

const BACKSLASH = 0x5c;

/** Holds, for the letter of each escape of two characters, the byte for which the escape stands. */
export const JSON_ESCAPES = new Uint8Array(256);
for (const [letter, byte] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
	JSON_ESCAPES[letter.charCodeAt(0)] = byte.charCodeAt(0);
}

/** Returns the plain text of a string without the blanks around it. Escaped characters are written as UTF-8. */
export function decodeJsonText(bytes: Buffer, start: number, end: number): Buffer {
	const text = Buffer.alloc(end - start);
	let length = 0;
	let at = start;
	while (at < end) {
		if (bytes[at] !== BACKSLASH) {
			text[length++] = bytes[at++];
		} else if (bytes[at + 1] !== 0x75) {
			text[length++] = JSON_ESCAPES[bytes[at + 1]];
			at += 2;
		} else {
			const code = readUnicodeEscape(bytes, at, end);
			length += text.write(String.fromCodePoint(code), length);
			at += code > 0xffff ? 12 : 6;
		}
	}
	return trimmed(text.subarray(0, length));
}
