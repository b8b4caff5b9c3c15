// Finds the security codes before a card number: `CVV: 123 card 4111…`, `123 is the CVV of 4111…`, `12/29 123 4111…`.

import { endOfDigits, isAlphanumeric, isDigit, tableOf } from '../ascii.ts';
import { codeBehindLabel, isLabelledCode, isSure, LABEL, mayMeanCode, readLabel } from '../names/cvv-label.ts';
import { isAmexRange, MONTH, YEAR } from './code-behind.ts';
import { endOfExpiryBehind } from './expiry-behind.ts';

/** A code and its label begin at most this many bytes before the number. */
const LONGEST_BEFORE = 64;
const LEAST = 3;
const MOST = 4;
const POINT = 0x2e;
const ENDS_LINE = tableOf('\r\n\f');
/** Matches what stands between a code and the label behind it. */
const TO_LABEL = /^[ .,:=()[\]/|;#-]{1,3}(?:(?:is|ist|est|es|er|as|=) (?:(?:the|der|die|le|la|il|el|o) )?)?(?=[a-z])/i;
const EXPIRY_BEFORE = new RegExp(
	`(?<![\\da-z.,:-])${MONTH}[ /|-]?${YEAR}[ /|,;"'\\t-]{1,3}(?:code[ :=]{1,3}(?:is )?)?$`,
	'i',
);
/** Matches what stands between a code or an expiry and the number, which may be the name of a card. */
const TO_NUMBER = /^[ /|,;:"'\t-]{1,3}(?:[a-z]{2,16}[ :.#-]{0,3})?(?:n(?:o|r|umber)[ :.#]{1,3})?$/i;

/**
 * Calls `take` with the number at `numberStart` and the start of each code before it, in its line, and whether that is only
 * told. So it is unless a sure label stands before it. Four digits without one are a code only before an American Express.
 */
export function findCodesBefore(
	bytes: Buffer,
	start: number,
	numberStart: number,
	take: (numberStart: number, code: number, isDoubtful: boolean) => void,
): void {
	const from = startOfLine(bytes, Math.max(start, numberStart - LONGEST_BEFORE), numberStart);
	let text: string | undefined;
	const most = isAmexRange(bytes, numberStart) ? MOST : LEAST;
	// A group of three digits has one at every third place.
	for (let place = from + LEAST - 1; place < numberStart; place += LEAST) {
		if (!isDigit(bytes[place])) continue;
		let at = place;
		while (at > from && isDigit(bytes[at - 1])) at--;
		const after = endOfDigits(bytes, place, numberStart);
		place = after;
		if (!isFreeGroup(bytes, at, after, start)) continue;
		if (isLabelledCode(bytes, at, start, numberStart) && mayMeanCode(LABEL.kinds))
			take(numberStart, at, !LABEL.isTelling);
		else if (after - at <= most) {
			text ??= bytes.toString('latin1', from, numberStart);
			if (isBeside(bytes, text, at - from, after, numberStart)) take(numberStart, at, true);
		}
	}
}

/** Returns where the line of `end` begins, or `start` if that is later. CR, LF and form feed end a line. */
export function startOfLine(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start && ENDS_LINE[bytes[at - 1]] === 0) at--;
	return at;
}

/**
 * Returns the start of the text that waits before `end` because digits or a label in it may be those of a code before a number
 * that follows; `end` if none waits.
 */
export function indexOfCutCode(bytes: Uint8Array, start: number, end: number): number {
	const from = Math.max(start, end - LONGEST_BEFORE);
	for (let at = from, after = at; at < end; at = after + 1) {
		after = endOfDigits(bytes, at, end);
		if (isFreeGroup(bytes, at, after, start)) return from;
		if (after < end && readLabel(bytes, after, end) && mayMeanCode(LABEL.kinds)) return from;
	}
	return end;
}

/** Tells whether `bytes[at, after)`, which has only digits, may be a code. An amount is none: `410.00`. */
function isFreeGroup(bytes: Uint8Array, at: number, after: number, start: number): boolean {
	const hasLength = after - at >= LEAST && after - at <= MOST;
	return (
		hasLength &&
		(at === start || !isAlphanumeric(bytes[at - 1])) &&
		!(bytes[after] === POINT && isDigit(bytes[after + 1]))
	);
}

/** Tells whether a label follows the digits that end at `after`, or the number and an expiry on either side of them. */
function isBeside(bytes: Buffer, text: string, at: number, after: number, numberStart: number): boolean {
	const restOf = (end: number) => text.slice(text.length - (numberStart - end));
	const label = TO_LABEL.exec(restOf(after));
	const labelAt = after + (label?.[0].length ?? 0);
	if (label !== null && readLabel(bytes, labelAt, numberStart) && isSure(LABEL.kinds))
		return codeBehindLabel(bytes, labelAt, after, numberStart) === -1;
	const expiryEnd = endOfExpiryBehind(bytes, after, numberStart);
	if (expiryEnd === -1 && !EXPIRY_BEFORE.test(text.slice(0, at))) return false;
	return TO_NUMBER.test(restOf(expiryEnd === -1 ? after : expiryEnd));
}
