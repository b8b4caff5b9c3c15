// Finds the security codes before a card number: `CVV: 123 card 4111…`, `123 is the CVV of 4111…`, `12/29 123 4111…`.

import { endOfDigits, isAlphanumeric } from '../ascii.ts';
import { codeBehindLabel, isLabelledCode, isSure, LABEL, mayMeanCode, readLabel } from '../names/cvv-label.ts';
import { MONTH, YEAR } from './code-behind.ts';
import { endOfExpiryBehind } from './expiry-behind.ts';

/** A code and its label begin at most this many bytes before the number. */
export const LONGEST_BEFORE = 64;
const LEAST = 3;
const MOST = 4;
/** Matches the rest of a line before a number. */
const LINE = /[^\r\n\f]*$/;
/** Matches what stands between a code and the label behind it. */
const TO_LABEL = /^[ .,:=()[\]/|;#-]{1,3}(?:(?:is|ist|est|es|er|as|=) (?:(?:the|der|die|le|la|il|el|o) )?)?(?=[a-z])/i;
const EXPIRY_BEFORE = new RegExp(`(?<![\\da-z.,:-])${MONTH}[ /|-]?${YEAR}[ /|,;-]{1,3}$`, 'i');
/** Matches what stands between a code or an expiry and the number, which may be the name of a card. */
const TO_NUMBER = /^[ /|,;:-]{1,3}(?:[a-z]{2,16}[ :.#-]{0,3})?$/i;

/**
 * Calls `take` with the start of each code before the number at `numberStart`, in its line, and whether it is only told. That
 * is so unless a sure label stands before it. Four digits without a label before them are a code only if the number `isAmex`.
 */
export function findCodesBefore(
	bytes: Buffer,
	start: number,
	numberStart: number,
	isAmex: boolean,
	take: (code: number, isDoubtful: boolean) => void,
): void {
	const text = LINE.exec(bytes.toString('latin1', Math.max(start, numberStart - LONGEST_BEFORE), numberStart))![0];
	const from = numberStart - text.length;
	for (let at = from, after = at; at < numberStart; at = after + 1) {
		after = endOfDigits(bytes, at, numberStart);
		const length = after - at;
		if (length < LEAST || length > MOST || (at > start && isAlphanumeric(bytes[at - 1]))) continue;
		if (isLabelledCode(bytes, at, start, numberStart) && mayMeanCode(LABEL.kinds)) take(at, !LABEL.isTelling);
		else if ((length === LEAST || isAmex) && isBeside(bytes, text, at - from, after, numberStart)) take(at, true);
	}
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
