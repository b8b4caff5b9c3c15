// Prepares texts of others, such as the name of a recipient or of a sender, for our mails. A text of others must not look
// like one of ours, and nothing in it may become a link.

const MAX_CHARACTERS = 60;

/**
 * Returns a text without links, control characters and quotation marks, in one line and cut to a length. Addresses lose
 * what makes mail programs turn them into links.
 */
export function tameText(text: string): string {
	const tamed = text
		.normalize('NFKC')
		.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
		.replace(/\S*(?::\/\/|www\.)\S*|\b(?:mailto|tel|javascript|data):\S*/giu, ' ')
		.replace(/["\u00ab\u00bb\u201c-\u201f\u2039\u203a\u300c-\u300f\u301d-\u301f<>]/gu, ' ')
		.replace(/[@\ufe6b]/gu, ' ')
		// A dot before letters or figures would make a domain: `evil.example`, or with the ideographic dot.
		.replace(/[.\u3002\uff61]+(?=[\p{L}\p{N}])/gu, '. ')
		.replace(/\s+/gu, ' ')
		.trim();
	const characters = [...tamed];
	return characters.length <= MAX_CHARACTERS
		? tamed
		: `${characters
				.slice(0, MAX_CHARACTERS - 1)
				.join('')
				.trimEnd()}…`;
}

/** Returns a text of others in quotation marks, so that a reader sees where it begins and ends. */
export function quoteText(text: string): string {
	return `"${tameText(text) || '…'}"`;
}
