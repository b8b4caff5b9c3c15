import { holdsCardNumber } from '../card/spelled-number.ts';
import { utf8Of } from './plain-text.ts';

/** A reference kept in the vault has at most this many characters. */
const MAX_REFERENCE_CHARACTERS = 255;

/**
 * Returns the reference that a caller has chosen for a card in a file, without the blanks around it. Returns undefined
 * if it is too long to be kept, or may contain a card number: references are stored in clear, so that tokens can be
 * searched by them.
 */
export function findReference(text: Buffer): string | undefined {
	const reference = utf8Of(text).toString().trim();
	if (reference === '' || reference.length > MAX_REFERENCE_CHARACTERS) return undefined;
	return holdsCardNumber(reference) ? undefined : reference;
}
