// @ts-check
// Tells the brand of a number while it is typed. The ranges come with the page, from the table that also judges the
// card when it is stored.

/** @typedef {[type: string, from: number, to: number, lengths: number[]]} Range */
/** @typedef {[from: number, to: number, types: string[]]} CoBadge */

const UNKNOWN = 'Unspecified';
/** These brands fill whole leading digits that others share, so that they show only after some more digits. */
const LATE = new Set(['Maestro', 'UATP']);
const LATE_DIGITS = 4;

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
		([, from, to, lengths]) => prefix >= from && prefix <= to && lengths.includes(digits.length),
	);
	return found ? found[0] : UNKNOWN;
}

/**
 * Returns the brands of which the holder may choose one.
 * @param {readonly CoBadge[]} coBadges
 * @param {string} digits
 */
export function coBadgesOfNumber(coBadges, digits) {
	if (digits.length < 6) return [];
	const prefix = Number(digits.slice(0, 6));
	return coBadges.find(([from, to]) => prefix >= from && prefix <= to)?.[2] ?? [];
}

/**
 * Returns how many digits a card of this brand has at most.
 * @param {readonly Range[]} ranges
 * @param {string} brand
 */
export function longestOf(ranges, brand) {
	const lengths = ranges.flatMap(([type, , , each]) => (type === brand ? each : []));
	return lengths.length === 0 ? 22 : Math.max(...lengths);
}
