/** Maps each digit to the value that it adds to the Luhn sum when it is doubled. */
export const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);

/**
 * Tells whether `count` ASCII digits at `start` pass the Luhn (Mod10) checksum (spec §2.4). The caller has checked that
 * they are digits.
 */
export function passesLuhn(digits: Uint8Array, start: number, count: number): boolean {
	let sum = 0;
	let i = start + count - 1;
	for (; i > start; i -= 2) sum += digits[i] - 48 + DOUBLED[digits[i - 1] - 48];
	if (i === start) sum += digits[i] - 48;
	return sum % 10 === 0;
}
