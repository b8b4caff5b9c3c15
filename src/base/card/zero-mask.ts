// Recognises numbers that a host has masked with zeros instead of stars (formats §1.7). Sabre keeps the first two digits
// and the last four, other hosts the first six or four, or none.

const ZERO = 0x30;
const MOST_AT_START = 6;
const MOST_AT_END = 4;
const LEAST_ZEROS = 4;

/**
 * Returns how many digits precede the zeros of a masked number, from 0 to 6, or -1 if the number is not masked. The zeros
 * of a masked number fill everything between at most its first six and at most its last four digits. That is true of one
 * real number in a million, and of some test numbers (`5500000000000004`).
 */
export function digitsBeforeMask(digits: Uint8Array, start: number, count: number): number {
	const zerosEnd = start + count - MOST_AT_END;
	let at = zerosEnd;
	while (at > start && digits[at - 1] === ZERO) at--;
	return zerosEnd - at >= LEAST_ZEROS && at - start <= MOST_AT_START ? at - start : -1;
}

/**
 * Tells whether a number behind the code of its network is masked with zeros. There a correct check digit says that it is
 * a number, unless the zeros begin exactly where a mask begins: behind the first digit or behind the sixth.
 */
export function isMaskedBehindCode(digits: Uint8Array, start: number, count: number, isValid: boolean): boolean {
	const before = digitsBeforeMask(digits, start, count);
	return before === 0 || before === MOST_AT_START || (before !== -1 && !isValid);
}

/**
 * Tells whether a number that nothing announces is masked with zeros. If its check digit alone follows fewer than six
 * digits and zeros, it was made for tests (`4000000000000002`), because a mask leaves four digits.
 */
export function isMaskedAlone(digits: Uint8Array, start: number, count: number): boolean {
	const before = digitsBeforeMask(digits, start, count);
	if (before === -1 || before === MOST_AT_START) return before !== -1;
	for (let i = start + count - MOST_AT_END; i < start + count - 1; i++) if (digits[i] !== ZERO) return true;
	return false;
}
