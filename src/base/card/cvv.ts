import { isDigit } from './ascii.ts';
import { CARD_TYPES, type CardTypeIndex } from './brand.ts';
import { isPlaceholder, type ReadingRule } from './names/placeholders.ts';

/** The kinds of content that a CVV field can have. A `short` CVV has lost its leading zeros. */
export type CvvReading = 'absent' | 'starred' | 'readable' | 'short' | 'malformed';

/**
 * Returns the kind of content of a CVV field (spec §2.4). The field may be empty; otherwise a CVV must have exactly 3
 * or 4 digits, for every brand. Stars are not an error, because this service writes them in place of a CVV. With the
 * rule `lenient`, a placeholder is no CVV, and one or two digits are one whose leading zeros a spreadsheet has removed.
 */
export function readCvv(bytes: Uint8Array, start: number, end: number, rule: ReadingRule): CvvReading {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return 'absent';
	let digits = 0;
	let stars = 0;
	for (let i = start; i < end; i++) {
		if (bytes[i] === 0x2a) stars++;
		else if (isDigit(bytes[i])) digits++;
	}
	const length = end - start;
	if (stars === length) return 'starred';
	// `000` may be the CVV of a card as well as a placeholder, so it is taken for a CVV and becomes stars.
	if (digits === length && length >= 3 && length <= 4) return 'readable';
	if (rule === 'strict') return 'malformed';
	if (isPlaceholder(bytes, start, end)) return 'absent';
	return digits === length && length < 3 ? 'short' : 'malformed';
}

/** Tells whether a text in a message is no CVV: it is empty or a placeholder. */
export function isNoCvv(text: string): boolean {
	const bytes = Buffer.from(text);
	const reading = readCvv(bytes, 0, bytes.length, 'lenient');
	bytes.fill(0);
	return reading === 'absent';
}

const AMEX = CARD_TYPES.indexOf('AMEX');
const LEAST_DIGITS = 3;
const AMEX_DIGITS = 4;
const ZERO = 0x30;

/** Returns a short CVV with its zeros: three digits, and four for American Express. */
export function withLostZeros(digits: Uint8Array, brand: CardTypeIndex): Buffer {
	const whole = Buffer.alloc(brand === AMEX ? AMEX_DIGITS : LEAST_DIGITS, ZERO);
	whole.set(digits, whole.length - digits.length);
	return whole;
}
