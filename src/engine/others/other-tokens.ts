// Finds tokens outside the card fields of a layout. A file contains such tokens if it was tokenized with `otherNumbers:
// tokenize`.

import { isHexDigit } from '../../base/card/ascii.ts';
import { type NumberPlaces, PLACE, type PlaceKind } from '../../base/card/finder/number-places.ts';
import { readHex, TOKEN_BYTES, TOKEN_CHARACTERS, type TokenCipher } from '../../vault/tokens/token.ts';
import type { Findings } from '../format.ts';

/**
 * A run of hexadecimal digits that is longer than this is not a token but other data, of which a file may contain
 * megabytes. Such a run is not searched for tokens, and no token is put where it would become part of such a run
 * (`runWithTokens`).
 */
export const LONGEST_RUN = 256;

/** Finds text that may be a token. Only the vault can tell whether a token exists. */
export class OtherTokens {
	readonly #tokens: TokenCipher;
	readonly #token = Buffer.alloc(TOKEN_BYTES);

	constructor(tokens: TokenCipher) {
		this.#tokens = tokens;
	}

	/**
	 * Adds to `places` the position of each sequence of 32 hexadecimal digits in `bytes[start, end)` that one of our keys
	 * may have created as a token, or that may be a foreign token.
	 */
	find(bytes: Buffer, start: number, end: number, places: NumberPlaces): void {
		// Every 32nd byte is examined. A token has 32 characters, so it always contains an examined byte.
		for (let probe = start + TOKEN_CHARACTERS - 1; probe < end; probe += TOKEN_CHARACTERS) {
			if (!isHexDigit(bytes[probe])) continue;
			let first = probe;
			while (first > start && isHexDigit(bytes[first - 1])) first--;
			let after = probe + 1;
			while (after < end && isHexDigit(bytes[after])) after++;
			if (after - first <= LONGEST_RUN) this.#addTokens(bytes, first, after, places);
			probe = after;
		}
	}

	/** Tells whether the digits `bytes[start, end)` share a byte with a token in `bytes[from, to)`, for sure or possibly. */
	overlap(bytes: Buffer, start: number, end: number, from: number, to: number): 'sure' | 'possible' | undefined {
		const first = Math.max(from, start - TOKEN_CHARACTERS + 1);
		let isPossible = false;
		for (let at = first; at < end && at + TOKEN_CHARACTERS <= to; at++) {
			if (!this.#isToken(bytes, at, from, to)) continue;
			if (this.#tokens.isSurelyOurs(this.#token)) return 'sure';
			isPossible = true;
		}
		return isPossible ? 'possible' : undefined;
	}

	/** Takes out of `places` the numbers that share a digit with what is surely a token: `1111 ` and its first digits. */
	dropFrom(places: NumberPlaces, bytes: Buffer, from: number, to: number): void {
		const { count, starts, ends, kinds } = places;
		places.count = 0;
		for (let i = 0; i < count; i++) {
			const overlap = this.overlap(bytes, starts[i], ends[i], from, to);
			if (overlap !== 'sure')
				places.add(starts[i], ends[i], overlap === undefined ? (kinds[i] as PlaceKind) : PLACE.TOLD);
		}
	}

	#addTokens(bytes: Buffer, first: number, after: number, places: NumberPlaces): void {
		for (let at = first; at + TOKEN_CHARACTERS <= after; at++) {
			if (this.#isToken(bytes, at, first, after)) places.add(at, at + TOKEN_CHARACTERS);
		}
	}

	/**
	 * Tells whether the 32 digits at `at` may be a token. Any of them may be a foreign one, so those count only without a
	 * further digit beside them in `bytes[from, to)`: otherwise nearly every long run would hold one.
	 */
	#isToken(bytes: Buffer, at: number, from: number, to: number): boolean {
		if (!readHex(bytes, at, this.#token, 0)) return false;
		if (this.#tokens.mayBeOurs(this.#token)) return true;
		return isLoneToken(bytes, at, at + TOKEN_CHARACTERS, from, to) && this.#tokens.mayBeForeign(this.#token);
	}
}

/**
 * Returns whether a finding has 32 hexadecimal digits and no further one beside it. Such a finding is a token, so
 * detokenizing does not search it again. Other findings are searched: a masked number may have a token beside it, and
 * in `BC6185…` the code B and a token that begins with C may be found as the code BC and 32 other digits.
 */
export function isLoneToken(bytes: Uint8Array, start: number, end: number, from: number, to: number): boolean {
	if (end - start !== TOKEN_CHARACTERS) return false;
	return !(start > from && isHexDigit(bytes[start - 1])) && !(end < to && isHexDigit(bytes[end]));
}

/**
 * Returns how long the run of hexadecimal digits around one number of `places` would be if tokens replaced all of these
 * numbers. `index` tells which number it is. Counting stops soon after `LONGEST_RUN`. `before` is the number of
 * hexadecimal digits directly before `from`.
 */
export function runWithTokens(
	bytes: Uint8Array,
	places: NumberPlaces,
	index: number,
	{ from, to, before }: { readonly from: number; readonly to: number; readonly before: number },
): number {
	let length = TOKEN_CHARACTERS;
	let at = places.starts[index];
	for (let i = index - 1; length <= LONGEST_RUN; length++) {
		if (i >= 0 && places.ends[i] === at) {
			length += TOKEN_CHARACTERS - 1;
			at = places.starts[i--];
		} else if (at > from && isHexDigit(bytes[at - 1])) at--;
		else break;
	}
	if (at === from) length += before;
	at = places.ends[index];
	for (let i = index + 1; length <= LONGEST_RUN; length++) {
		if (i < places.count && places.starts[i] === at) {
			length += TOKEN_CHARACTERS - 1;
			at = places.ends[i++];
		} else if (at < to && isHexDigit(bytes[at])) at++;
		else break;
	}
	return length;
}

/**
 * Counts the hexadecimal digits directly before `end`. If all bytes back to `start` are hexadecimal digits, it adds
 * `before`, the number of such digits directly before `start`.
 */
export function hexDigitsBefore(bytes: Uint8Array, start: number, end: number, before: number): number {
	let at = end;
	while (at > start && isHexDigit(bytes[at - 1]) && end - at <= LONGEST_RUN) at--;
	return end - at + (at === start ? before : 0);
}

/**
 * Tells whether the scanner has already found a token at `start`. This is asked only for the few positions where the
 * search found a token, so a simple loop is enough.
 */
export function isFoundAt({ items, length }: Findings, start: number): boolean {
	for (let i = 0; i < length; i++) {
		const { numberStart, numberEnd, isOther } = items[i];
		if (!isOther && numberStart === start && numberEnd - numberStart === TOKEN_CHARACTERS) return true;
	}
	return false;
}
