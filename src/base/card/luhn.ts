/** Maps each digit to the value that it adds to the Luhn sum when it is doubled. */
export const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);

/**
 * Tells whether `count` ASCII digits at `start` pass the Luhn (Mod10) checksum (spec §2.4). The caller has checked that
 * they are digits.
 */
export function passesLuhn(digits: Uint8Array, start: number, count: number): boolean {
	let sum = 0;
	let isDoubled = false;
	for (let i = start + count - 1; i >= start; i--) {
		const digit = digits[i] - 48;
		sum += isDoubled ? DOUBLED[digit] : digit;
		isDoubled = !isDoubled;
	}
	return sum % 10 === 0;
}
