/**
 * Returns the first six digits, asterisks and the last four: the masked form of a card number in logs, reports and
 * answers. Numbers of fewer than 12 digits become asterisks only.
 */
export function maskNumber(digits: string): string {
	if (digits.length < 12) return '*'.repeat(digits.length);
	return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4);
}

/**
 * Returns the last four digits of a number in `digits[0, count)`, or an empty text if it has fewer than eight digits.
 */
export function lastFour(digits: Uint8Array, count: number): string {
	if (count < 8) return '';
	return String.fromCharCode(digits[count - 4], digits[count - 3], digits[count - 2], digits[count - 1]);
}
