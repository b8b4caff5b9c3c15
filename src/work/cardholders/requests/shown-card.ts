// Describes a stored card for a page, without its full number.

import { CARD_TYPES } from '../../../base/card/brand.ts';
import { shownExpiry } from '../../../base/card/expiry.ts';
import { maskNumber } from '../../../base/card/masking.ts';
import type { CvvPolicy } from '../../../vault/cvvs/cvv.ts';
import type { StoredRecord } from '../../../vault/pages/record-codec.ts';

/** Describes a card as a page may show it before its number is requested. */
export type MaskedView = ReturnType<typeof maskedView>;

export function maskedView({ digits, expiry, name, type }: StoredRecord) {
	return {
		masked: maskNumber(digits.toString('latin1')),
		expiry: shownExpiry(expiry),
		name: name?.toString('utf8'),
		type: type === 0 ? undefined : CARD_TYPES[type],
	};
}

export function usesLeft(policy: CvvPolicy | undefined): number | undefined {
	if (!policy) return undefined;
	const { destinations, usesLeft: left } = policy;
	return destinations.length === 0 ? left : destinations.reduce((sum, { quota, used }) => sum + quota - used, 0);
}
