/**
 * Matches a CVV that stands alone in a text. Times, tokens and random ids may contain the same digits, so a test that
 * looks for the digits alone fails by chance.
 */
export function standsAlone(cvv: string): RegExp {
	return new RegExp(`(?<![\\w.-])${cvv}(?![\\w.-])`);
}

const IDS = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})\b/g;

/** Returns a text without the UUIDs and tokens in it, for a test that looks for digits which one of them may have by chance. */
export function withoutIds(text: string): string {
	return text.replaceAll(IDS, '');
}
