// @ts-check

/**
 * Groups the digits of a card number as they are printed on the card.
 * @param {string} digits
 * @param {string} brand
 */
export function groupNumber(digits, brand) {
	const sizes = brand === 'AMEX' ? [4, 6, 5] : brand === 'DinersClub' && digits.length < 15 ? [4, 6, 4] : [];
	const groups = [];
	for (let at = 0, nth = 0; at < digits.length; nth++) {
		const size = sizes[nth] ?? 4;
		groups.push(digits.slice(at, at + size));
		at += size;
	}
	return groups.join(' ');
}
