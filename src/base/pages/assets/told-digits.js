// @ts-check

const BIN_DIGITS = 6;
/** Of numbers with this many digits, eight begin the number of the bank, and may be shown beside the last four. */
const LONG_NUMBER = 16;
const LONG_BIN_DIGITS = 8;

/**
 * Returns a function that says which digits of a number the page around the form may know: those of the bank, and the last
 * four once the number is at its end.
 *
 * While somebody types, every digit is the last one for a moment. So the last four are told only of a number that is
 * `isSure`, which is valid and either has all digits of its brand or was left. If they were told of a number that is then
 * continued or shortened, they are not told again, because both together would show more.
 */
export function openToldDigits() {
	let told = '';
	/**
	 * @param {string} digits
	 * @param {boolean} isSure
	 * @returns {{ bin: string | null, lastFour: string | null }}
	 */
	return (digits, isSure) => {
		if (digits.length < BIN_DIGITS) return { bin: null, lastFour: null };
		const isOther = told !== digits && (digits.startsWith(told) || told.startsWith(digits));
		const isTold = isSure && (told === '' || !isOther);
		if (isTold) told = digits;
		const length = isTold && digits.length >= LONG_NUMBER ? LONG_BIN_DIGITS : BIN_DIGITS;
		return { bin: digits.slice(0, length), lastFour: isTold ? digits.slice(-4) : null };
	};
}
