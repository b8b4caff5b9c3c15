// Finds card numbers in text that should hold none. Used on log lines and error texts, never on files: there a format
// says where cards stand.

import { brandOf } from '../card/brand.ts';
import { passesLuhn } from '../card/luhn.ts';
import { maskNumber } from '../card/masking.ts';
import { SpelledDigits } from '../card/spelled-digits.ts';
import { eachCardNumber } from '../card/spelled-number.ts';

const MIN_DIGITS = 12;
/** Longest card number there can be (spec §2.4). */
const MAX_DIGITS = 22;
/** From here on an unbroken run may be a number with something glued to it: an expiry, a counter. */
const GLUED_DIGITS = 17;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;
const STAR = 0x2a;

/** Masking is synchronous, so one reader serves all. */
const digits = new SpelledDigits();

/**
 * A text with the middle digits of every card number in it as stars: the first six and the last four stay. A card
 * number is whatever `holdsCardNumber` finds, and any run of whole groups of digits, 12 to 22 in all, that passes Luhn
 * (`in 12 4111 1111 1111 1111` holds one); inside an unbroken run of 17 and more also any part that has the shape of a brand's
 * card. One in ten other numbers of such a length loses its middle too: in text that is the better mistake.
 */
export function maskCardNumbers(text: string): string {
	try {
		return digits.read(text).count < MIN_DIGITS ? text : withStars(digits, findHidden(digits));
	} finally {
		digits.wipe();
	}
}

/**
 * The masked form when a bare number is shaped like the card of a known brand, otherwise undefined. Stricter than for
 * text, since most bare numbers are counts and times: no brand's card has 13 digits and begins with 1, as milliseconds do.
 */
export function findMaskedNumber(digits: string): string | undefined {
	if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS || !/^\d+$/.test(digits)) return undefined;
	const bytes = Buffer.from(digits, 'latin1');
	return isBranded(bytes, 0, bytes.length) ? maskNumber(digits) : undefined;
}

/** 1 for every digit to be hidden. No number survives because another one overlaps it. */
function findHidden(digits: SpelledDigits): Uint8Array {
	const hidden = new Uint8Array(digits.count);
	const hide = (from: number, to: number) => {
		hidden.fill(1, from + VISIBLE_HEAD, to - VISIBLE_TAIL);
		return false;
	};
	eachCardNumber(digits, hide);
	for (let start = 0; start < digits.count; ) {
		let end = start + 1;
		while (end < digits.count && digits.gaps[end] === 0) end++;
		hideWholeGroups(digits, start, end, hide);
		if (end - start >= GLUED_DIGITS) hideGluedNumbers(digits, start, end, hide);
		start = end;
	}
	return hidden;
}

/** Numbers made of whole groups, the first of which is `[start, end)`. */
function hideWholeGroups(
	digits: SpelledDigits,
	start: number,
	end: number,
	hide: (from: number, to: number) => void,
): void {
	for (let after = end; after - start <= MAX_DIGITS; ) {
		if (after - start >= MIN_DIGITS && digits.passesLuhn(start, after)) hide(start, after);
		if (after >= digits.count || !isJoined(digits, after)) return;
		do after++;
		while (after < digits.count && digits.gaps[after] === 0);
	}
}

/** Whether nothing but a blank or a hyphen stands before a digit and the one before that. */
function isJoined({ at, text }: SpelledDigits, digit: number): boolean {
	if (at[digit] - at[digit - 1] !== 2) return false;
	const between = text.charCodeAt(at[digit] - 1);
	return between === 0x20 || between === 0x2d;
}

function hideGluedNumbers(
	{ values }: SpelledDigits,
	from: number,
	to: number,
	hide: (from: number, to: number) => void,
): void {
	for (let start = from; start + MIN_DIGITS < to; start++) {
		// Twelve digits alone fit too many ids; the brands that matter have more.
		for (let count = MIN_DIGITS + 1; count <= MAX_DIGITS && start + count <= to; count++) {
			if (isBranded(values, start, count)) hide(start, start + count);
		}
	}
}

function withStars({ text, at }: SpelledDigits, hidden: Uint8Array): string {
	if (!hidden.includes(1)) return text;
	const units = Buffer.from(text, 'utf16le');
	for (let i = 0; i < hidden.length; i++) {
		if (hidden[i] === 0) continue;
		units.writeUInt16LE(STAR, at[i] * 2);
		// A digit beyond the first plane has two units, and half a one is no text.
		if (text.codePointAt(at[i])! > 0xffff) units.writeUInt16LE(STAR, at[i] * 2 + 2);
	}
	const masked = units.toString('utf16le');
	units.fill(0);
	return masked;
}

function isBranded(digits: Buffer, start: number, count: number): boolean {
	return brandOf(digits, start, count) !== 0 && passesLuhn(digits, start, count);
}
