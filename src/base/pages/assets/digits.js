// @ts-check
// Reads digits as people type and paste them, and keeps the caret in its place while a number is grouped.

import { asciiDigits } from './card-rules.js';

/**
 * Returns the digits of a text and nothing else.
 * @param {string} text
 */
export function digitsOf(text) {
	return asciiDigits(text).replace(/\D/g, '');
}

/**
 * Returns an expiry as `08 / 29`. A first digit above 1 is a month by itself, and so is a digit with a blank or a sign behind
 * it: `1 30` is January 2030.
 * @param {string} text
 * @param {boolean} isDeleting after a deletion nothing is added behind the last digit
 */
export function groupExpiry(text, isDeleting) {
	const plain = asciiDigits(text)
		.replace(/[\u200e\u200f]/g, '')
		.trimStart();
	const [, yearFirst, monthLast] = /^(20\d\d)\D+(\d{1,2})\s*$/.exec(plain) ?? [];
	if (yearFirst) return `${monthLast.padStart(2, '0')} / ${yearFirst}`;
	const [, single, rest] = /^(\d)\D+(\d*)\s*$/.exec(plain) ?? [];
	let digits = single ? `0${single}${rest}` : plain.replace(/\D/g, '');
	if (/^[2-9]/.test(digits)) digits = `0${digits}`;
	digits = digits.slice(0, 6);
	if (digits.length > 2) return `${digits.slice(0, 2)} / ${digits.slice(2)}`;
	return digits.length === 2 && !isDeleting ? `${digits} / ` : digits;
}

/**
 * Returns where the caret stands in a grouped text so that as many digits are before it as before.
 * @param {string} grouped
 * @param {number} digitsBefore
 * @param {boolean} isDeleting then the caret stays before a blank, so that the next deletion meets a digit
 */
export function caretIn(grouped, digitsBefore, isDeleting) {
	let at = 0;
	for (let seen = 0; at < grouped.length && seen < digitsBefore; at++) if (/\d/.test(grouped[at])) seen++;
	if (!isDeleting) while (at < grouped.length && !/\d/.test(grouped[at])) at++;
	return at;
}
