const DIGIT = /\p{Nd}/u;

/** Replaces the digits of every script by ASCII digits. All other characters stay. */
export function asciiDigits(text: string): string {
	return text.replace(/\p{Nd}/gu, (character) => String(digitOf(character.codePointAt(0)!)));
}

/**
 * Returns the value of a digit. Unicode lists the ten digits of a script in a row, zero first, so the position in the
 * row is the value. Some of these rows follow each other directly, so the position is taken modulo ten.
 */
function digitOf(code: number): number {
	let first = code;
	while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
	return (code - first) % 10;
}
