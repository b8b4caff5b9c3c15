/** First six, asterisks, last four: the only form in which a card number is ever shown. Shorter ones lose more. */
export function maskNumber(digits: string): string {
	if (digits.length < 12) return '*'.repeat(digits.length);
	return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4);
}

/** The last four digits of a number read into `digits[0, count)`, or fewer stars for a stub too short to show. */
export function lastFour(digits: Uint8Array, count: number): string {
	if (count < 8) return '';
	return String.fromCharCode(digits[count - 4], digits[count - 3], digits[count - 2], digits[count - 1]);
}
