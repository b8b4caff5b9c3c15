import { DigitReader, UNIT } from './spelling/digit-text.ts';

const reader = new DigitReader();
const FIRST_HIGH = 0x80;

/** Replaces the digits of every script by ASCII digits. All other characters stay. */
export function asciiDigits(text: string): string {
	return text.replace(/\p{Nd}/gu, (character) => {
		const bytes = Buffer.from(character);
		reader.read(bytes, 0, bytes.length);
		return String.fromCharCode(reader.digit);
	});
}

/**
 * Returns `bytes[start, end)` with the digits of every script, and full-width letters and signs, in ASCII, and where each byte
 * was; undefined if there are none but those of ASCII.
 */
export function readAscii(
	bytes: Uint8Array,
	start: number,
	end: number,
): { bytes: Buffer; offsets: number[] } | undefined {
	let at = start;
	while (at < end && bytes[at] < FIRST_HIGH) at++;
	if (at === end) return undefined;
	const plain: number[] = [];
	const offsets: number[] = [];
	for (at = start; at < end; ) {
		const isDigit = bytes[at] >= FIRST_HIGH && reader.read(bytes, at, end) === UNIT.DIGIT;
		const wide = isDigit ? reader.digit : fullWidthAt(bytes, at, end);
		plain.push(wide || bytes[at]);
		offsets.push(at);
		at += isDigit ? reader.width : wide > 0 ? 3 : 1;
	}
	return plain.length === end - start ? undefined : { bytes: Buffer.from(plain), offsets };
}

/** Returns what the full-width character at `at` is in ASCII, or 0 if there is none. */
function fullWidthAt(bytes: Uint8Array, at: number, end: number): number {
	if (bytes[at] !== 0xef || (bytes[at + 1] & 0xfe) !== 0xbc || at + 2 >= end) return 0;
	const code = 0x20 + ((bytes[at + 1] & 1) << 6) + (bytes[at + 2] & 0x3f);
	return code > 0x20 && code < 0x7f ? code : 0;
}
