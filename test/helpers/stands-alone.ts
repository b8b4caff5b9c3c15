/**
 * Matches a CVV that stands alone in a text. Times, tokens and random ids may contain the same digits, so a test that
 * looks for the digits alone fails by chance.
 */
export function standsAlone(cvv: string): RegExp {
	return new RegExp(`(?<![\\w.-])${cvv}(?![\\w.-])`);
}
