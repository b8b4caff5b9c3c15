import { holdsCardNumber } from '../card/spelled-number.ts';
import { utf8Of } from './plain-text.ts';

/** Longest reference the vault keeps. */
const MAX_REFERENCE_CHARACTERS = 255;

/**
 * A caller-chosen reference out of a file, blanks around taken off; undefined when it cannot be kept: too long, or
 * holding what may be a card number, since references stand in clear where tokens are searched by them.
 */
export function findReference(text: Buffer): string | undefined {
	const reference = utf8Of(text).toString().trim();
	if (reference === '' || reference.length > MAX_REFERENCE_CHARACTERS) return undefined;
	return holdsCardNumber(reference) ? undefined : reference;
}
