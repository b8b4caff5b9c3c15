import { passesLuhn } from '../card/luhn.ts';
import { withPlainDigits } from '../card/plain-digits.ts';
import { holdsGroupedCard } from '../log/card-numbers.ts';
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
	return holdsNumber(reference) ? undefined : reference;
}

/**
 * Whether a text holds 12 or more digits that pass Luhn, single blanks and hyphens between them allowed, or a brand's card
 * in the groups it is printed in; in the digits of any script.
 */
export function holdsNumber(text: string): boolean {
	const plain = withPlainDigits(text);
	for (const [run] of plain.matchAll(/\d(?:[ -]?\d){11,}/g)) {
		const digits = Buffer.from(run.replace(/\D/g, ''));
		for (let length = 12; length <= Math.min(22, digits.length); length++) {
			for (let start = 0; start + length <= digits.length; start++) {
				if (passesLuhn(digits, start, length)) return true;
			}
		}
	}
	return holdsGroupedCard(plain);
}
