// Lists the two letters by which travel hosts name a card network.

import { isUpperLetter } from '../../../src/base/card/ascii.ts';
import { type CardTypeIndex, isTypePlausible } from '../../../src/base/card/brand.ts';
import { findCardType, GDS_CARD_CODES } from '../../../src/base/card/names/brand-names.ts';

export const CODE_LENGTH = 2;
/** Maps two letters to the card type that they name: -1 if they are no card code, 0 if the code names no type. */
const TYPES = new Int8Array(26 * 26).fill(-1);
/** Stands for all types without a code. */
export const WITHOUT_CODE = 127;
/** Holds the types that have a code. */
const CODED_TYPES = new Set<CardTypeIndex>();
for (const code of GDS_CARD_CODES) {
	const type = findCardType(code) ?? 0;
	TYPES[(code.charCodeAt(0) - 65) * 26 + code.charCodeAt(1) - 65] = type;
	CODED_TYPES.add(type);
}

/** Tells whether two capital letters are at `at`. In a form of payment any two are accepted as a card code. */
export function isCode(bytes: Uint8Array, at: number, end: number): boolean {
	return at + CODE_LENGTH <= end && isUpperLetter(bytes[at]) && isUpperLetter(bytes[at + 1]);
}

/** Tells whether a known card code is at `at`. This is required where other text may occur too. */
export function isKnownCode(bytes: Uint8Array, at: number, end: number): boolean {
	return typeAt(bytes, at, end) !== -1;
}

/** Returns the type that the code at `at` names: -1 if there is no known code, 0 if it names no type. */
export function typeAt(bytes: Uint8Array, at: number, end: number): number {
	return isCode(bytes, at, end) ? TYPES[(bytes[at] - 65) * 26 + bytes[at + 1] - 65] : -1;
}

/** Tells whether a number of this brand may have the type that a code names. Brand 0 stands for none and never may. */
export function agrees(type: number, brand: number): boolean {
	return brand !== 0 && (type === WITHOUT_CODE ? !CODED_TYPES.has(brand) : isTypePlausible(type, brand));
}
