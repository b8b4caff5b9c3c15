// Digits as people type them: with a Japanese or an Arabic keyboard they are others than those of ASCII.

/** A text in which the digits of every script are those of ASCII, and full-width blanks and hyphens too; to be searched, not kept. */
export function withPlainDigits(text: string): string {
	if (!/\P{ASCII}/u.test(text)) return text;
	return text.normalize('NFKC').replace(/(?!\d)\p{Nd}/gu, plainDigit);
}

/** Unicode has them ten in a row, from zero on. */
function plainDigit(digit: string): string {
	let value = 0;
	while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt(0)! - value - 1))) value++;
	return String(value);
}
