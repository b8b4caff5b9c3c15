import { DigitReader } from './spelling/digit-text.ts';

const reader = new DigitReader();

/** Replaces the digits of every script by ASCII digits. All other characters stay. */
export function asciiDigits(text: string): string {
	return text.replace(/\p{Nd}/gu, (character) => {
		const bytes = Buffer.from(character);
		reader.read(bytes, 0, bytes.length);
		return String.fromCharCode(reader.digit);
	});
}
