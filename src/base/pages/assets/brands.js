// @ts-check
// Tells the brand of a number while it is typed. The ranges come with the page, from the table that also judges the
// card when it is stored.

/**
 * The lengths are bits, and the second brand is there on cards whose holder may choose between two.
 * @typedef {[type: string, from: number, to: number, lengths: number, second?: string]} Range
 */

const UNKNOWN = 'Unspecified';
/** These brands fill whole leading digits that others share, so that they show only after some more digits. */
const LATE = new Set(['Maestro', 'UATP']);
const LATE_DIGITS = 4;
const LONGEST_NUMBER = 22;
const LONGEST_OF_BRAND = 19;

/**
 * Returns the brand of a number that may be incomplete: the first range within which it stays, whatever follows.
 * @param {readonly Range[]} ranges
 * @param {string} digits
 */
export function brandWhileTyping(ranges, digits) {
	if (digits === '') return UNKNOWN;
	const known = Math.min(digits.length, 6);
	const least = Number(digits.slice(0, 6).padEnd(6, '0'));
	const most = Number(digits.slice(0, 6).padEnd(6, '9'));
	for (const [type, from, to] of ranges) {
		if (least < from || most > to) continue;
		return LATE.has(type) && known < LATE_DIGITS ? UNKNOWN : type;
	}
	return UNKNOWN;
}

/**
 * Returns the brand of a complete number.
 * @param {readonly Range[]} ranges
 * @param {string} digits
 */
export function brandOfNumber(ranges, digits) {
	const prefix = Number(digits.slice(0, 6));
	if (digits.length < 12) return UNKNOWN;
	const found = ranges.find(
		([, from, to, lengths]) => prefix >= from && prefix <= to && hasLength(lengths, digits.length),
	);
	return found ? found[0] : UNKNOWN;
}

/**
 * Returns the brands of which the holder may choose one.
 * @param {readonly Range[]} ranges
 * @param {string} digits
 */
export function coBadgesOfNumber(ranges, digits) {
	if (digits.length < 6) return [];
	const prefix = Number(digits.slice(0, 6));
	const [type, , , , second] = ranges.find((range) => range[4] && prefix >= range[1] && prefix <= range[2]) ?? [];
	return type && second ? [type, second] : [];
}

/**
 * Returns how many digits a card of this brand has at most.
 * @param {readonly Range[]} ranges
 * @param {string} brand
 */
export function longestOf(ranges, brand) {
	const lengths = ranges.reduce((bits, [type, , , each]) => (type === brand ? bits | each : bits), 0);
	return lengths === 0 ? LONGEST_NUMBER : 31 - Math.clz32(lengths);
}

/**
 * @param {number} lengths
 * @param {number} count
 */
function hasLength(lengths, count) {
	return count <= LONGEST_OF_BRAND && (lengths & (1 << count)) !== 0;
}
