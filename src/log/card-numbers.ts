// Finds card numbers in text that should hold none. Used on log lines and error texts, never on files: there a format
// says where cards stand.

import { brandOf } from '../card/brand.ts';
import { passesLuhn } from '../card/luhn.ts';
import { maskNumber } from '../card/masking.ts';

const MIN_DIGITS = 12;
/** Longest card number there can be (spec §2.4). */
const MAX_DIGITS = 22;
/** From here on an unbroken run may be a number with something glued to it: an expiry, a counter. */
const GLUED_DIGITS = 17;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;

/** Twelve or more digits, single blanks or hyphens between them allowed. */
export const DIGIT_RUN = /\d(?:[ -]?\d){11,}/;
const DIGIT_RUNS = new RegExp(DIGIT_RUN, 'g');

/**
 * Groups as brands print them, joined by any one character: `4111.1111.1111.1111`, `3782_822463_10005`. Other lengths
 * are left alone, since addresses, times and versions are numbers with points between them too.
 */
export const JOINED_GROUPS =
	/(?<!\d)(?:\d{4}([^\dA-Za-z])\d{4}\1\d{4}\1\d{1,7}|\d{4}([^\dA-Za-z])\d{6}\2\d{4,5})(?!\d)/;
const ALL_JOINED_GROUPS = new RegExp(JOINED_GROUPS, 'g');

/**
 * A text with the middle digits of every card number in it as stars: the first six and the last four stay. A card
 * number is any run of whole groups of digits, 12 to 22 in all, that passes Luhn (`in 12 4111 1111 1111 1111` holds one);
 * inside an unbroken run of 17 and more also any part that has the shape of a brand's card; and a brand's card in the
 * groups it is printed in, whatever joins them. One in ten other numbers of such a length loses its middle too: in text
 * that is the better mistake.
 */
export function maskCardNumbers(text: string): string {
	return text.replace(DIGIT_RUNS, maskRun).replace(ALL_JOINED_GROUPS, maskGroups);
}

/** Whether a card of a known brand stands in a text in the groups it is printed in, whatever joins them. */
export function holdsGroupedCard(text: string): boolean {
	return Array.from(text.matchAll(ALL_JOINED_GROUPS)).some(([groups]) => isBrandedText(groups));
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

/** Stars are set for every number found, so that no number survives because another one overlaps it. */
function maskRun(run: string): string {
	const groups = run.split(/[ -]/);
	const digits = Buffer.from(groups.join(''), 'latin1');
	const masked = Buffer.from(digits);
	let start = 0;
	for (const [index, group] of groups.entries()) {
		starWholeGroups(groups, index, start, digits, masked);
		if (group.length >= GLUED_DIGITS) starGluedNumbers(digits, start, start + group.length, masked);
		start += group.length;
	}
	let next = 0;
	return run.replace(/\d/g, () => String.fromCharCode(masked[next++]));
}

function maskGroups(groups: string): string {
	if (!isBrandedText(groups)) return groups;
	const masked = maskNumber(groups.replace(/\D/g, ''));
	let next = 0;
	return groups.replace(/\d/g, () => masked[next++]);
}

function isBrandedText(groups: string): boolean {
	const digits = Buffer.from(groups.replace(/\D/g, ''), 'latin1');
	return isBranded(digits, 0, digits.length);
}

/** Numbers made of whole groups, the first of which is `groups[index]` at `start`. */
function starWholeGroups(groups: string[], index: number, start: number, digits: Buffer, masked: Buffer): void {
	let count = 0;
	for (let i = index; i < groups.length; i++) {
		count += groups[i].length;
		if (count > MAX_DIGITS) return;
		if (count >= MIN_DIGITS && passesLuhn(digits, start, count)) star(masked, start, count);
	}
}

function starGluedNumbers(digits: Buffer, from: number, to: number, masked: Buffer): void {
	for (let start = from; start + MIN_DIGITS < to; start++) {
		// Twelve digits alone fit too many ids; the brands that matter have more.
		for (let count = MIN_DIGITS + 1; count <= MAX_DIGITS && start + count <= to; count++) {
			if (isBranded(digits, start, count)) star(masked, start, count);
		}
	}
}

function star(masked: Buffer, start: number, count: number): void {
	masked.fill('*', start + VISIBLE_HEAD, start + count - VISIBLE_TAIL);
}

function isBranded(digits: Buffer, start: number, count: number): boolean {
	return brandOf(digits, start, count) !== 0 && passesLuhn(digits, start, count);
}
