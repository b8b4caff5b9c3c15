import { areDigits, isDigit, latin1 } from './ascii.ts';
import { CARD_TYPES, type CardTypeIndex } from './brand.ts';
import { isPlaceholder, type ReadingRule } from './names/placeholders.ts';
import { endOfWhole } from './number.ts';
import { valueEnd, valueStart } from './spelling/blanks.ts';

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

/** Where the code stands in the field that `narrowToCode` has read last. One object saves a new one for each card. */
export const CODE_PLACE = { start: 0, end: 0 };
const STAR = 0x2a;
/** Matches a group of digits or stars. The 2 of `CVC2: 123` belongs to the word before it. */
const GROUP = /(?<![\da-z*])[\d*]+/gi;
/** Matches a group that may be a code, with what follows it. */
const ALONE = /^[\d*]{3,4}(?![\da-z*])/i;

/**
 * Finds the code in a CVV field with something beside it, and sets `CODE_PLACE`: in `123.0`, `="123"`, `(123)` and `CVV 123`,
 * and with blanks and invisible characters around it. Without the fraction of zeros that programs add to whole numbers, it
 * is the only group of digits in the field, or the stars in its place. In any other field it is the whole field.
 */
export function narrowToCode(bytes: Uint8Array, start: number, end: number): void {
	CODE_PLACE.start = start;
	CODE_PLACE.end = end;
	let plainEnd = start;
	while (plainEnd < end && isCodeByte(bytes[plainEnd])) plainEnd++;
	if (plainEnd === end) return;
	const first = valueStart(bytes, start, end);
	const last = endOfWhole(bytes, first, valueEnd(bytes, first, end));
	const text = latin1(bytes, first, last);
	const groups = [...text.matchAll(GROUP)];
	if (groups.length !== 1) return;
	const [{ 0: group, index }] = groups;
	if (group !== text && !ALONE.test(text.slice(index))) return;
	CODE_PLACE.start = first + index;
	CODE_PLACE.end = CODE_PLACE.start + group.length;
}

function isCodeByte(byte: number): boolean {
	return byte === STAR || isDigit(byte);
}

/** Tells at a glance whether a CVV field is nothing but three digits, as most are. */
export function isPlainCode(bytes: Uint8Array, start: number, end: number): boolean {
	return end - start === LEAST_DIGITS && areDigits(bytes, start, end);
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
