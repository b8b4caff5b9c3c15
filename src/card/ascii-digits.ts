const DIGIT = /\p{Nd}/u;

/** Writes the digits of every script as ASCII digits. All other characters stay. */
export function asciiDigits(text: string): string {
	return text.replace(/\p{Nd}/gu, (character) => String(digitOf(character.codePointAt(0)!)));
}

/** Unicode puts the ten digits of a script in a row, zero first, and some rows directly behind others. */
function digitOf(code: number): number {
	let first = code;
	while (DIGIT.test(String.fromCodePoint(first - 1))) first--;
	return (code - first) % 10;
}
