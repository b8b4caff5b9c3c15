import { holdsCardNumber } from '../card/spelled-number.ts';
import { utf8Of } from './plain-text.ts';

/** A reference kept in the vault has at most this many characters. */
const MAX_REFERENCE_CHARACTERS = 255;

/**
 * Returns a caller-chosen reference from a file without the blanks around it, or undefined if it cannot be kept: it is
 * too long or may contain a card number, and references are stored in clear because tokens are searched by them.
 */
export function findReference(text: Buffer): string | undefined {
	const reference = utf8Of(text).toString().trim();
	if (reference === '' || reference.length > MAX_REFERENCE_CHARACTERS) return undefined;
	return holdsCardNumber(reference) ? undefined : reference;
}
