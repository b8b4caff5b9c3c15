// Narrows the finding of a value that is more than a card number to the number in it, so that only the number is replaced
// and what people wrote beside it stays.

import { endOfDigits, isDigit } from '../../base/card/ascii.ts';
import { CODE_PLACE, isPlainCode, narrowToCode } from '../../base/card/cvv.ts';
import { EXPIRY_ABSENT } from '../../base/card/expiry.ts';
import { type NumberPlaces, PLACE } from '../../base/card/finder/number-places.ts';
import { findTypeBeside } from '../../base/card/names/type-beside.ts';
import { isMask, NumberReading } from '../../base/card/number.ts';
import { codeBehind, endOfStars, isAmexRange, loneDigits } from '../../base/card/spelling/code-behind.ts';
import { readLikelyExpiryBehind } from '../../base/card/spelling/expiry-behind.ts';
import type { Finding, Findings } from '../format.ts';
import { findAnnouncedCodes } from './other-codes.ts';

/** A masked number has at least this many digits and mask characters. */
const SHORTEST_MASKED = 8;
/** A card number has at least this many digits (spec §2.4). */
const MIN_DIGITS = 12;

const reading = new NumberReading();

/**
 * Narrows a scanner's finding to the first number of `places`, which are those in its value. Every further number gets a
 * finding of its own. The first keeps the other fields of the card. All get the expiry of the card or, if it has none,
 * the one behind them in the value. The masked numbers beside them keep findings too. A number that can only be told
 * becomes a finding outside the card fields.
 */
export function narrow(bytes: Buffer, owner: Finding, places: NumberPlaces, findings: Findings): void {
	const { numberStart: start, numberEnd: end, expiry } = owner;
	const last = places.count - 1;
	addMasked(bytes, owner, start, places.starts[0], findings);
	addMasked(bytes, owner, places.ends[last], end, findings);
	let first = 0;
	while (first < last && places.kinds[first] === PLACE.TOLD) first++;
	for (let i = 0; i <= last; i++) {
		const finding = i === first ? owner : findings.next();
		finding.record = owner.record;
		finding.numberStart = places.starts[i];
		finding.numberEnd = places.ends[i];
		finding.isEscaped = owner.isEscaped;
		if (places.kinds[i] === PLACE.TOLD) {
			finding.isOther = true;
			finding.keptFor = 'spelling';
			continue;
		}
		finding.shape = 'other';
		finding.expiry = expiry === EXPIRY_ABSENT ? readLikelyExpiryBehind(bytes, finding.numberEnd, end) : expiry;
		takeCodeBehind(bytes, finding, end, findings);
		if (i === 0) addLone(bytes, finding, start, finding.numberStart, findings);
		if (finding.typeEnd > finding.typeStart) continue;
		const type = findTypeBeside(bytes, start, finding.numberStart, finding.numberEnd, end);
		if (type !== undefined) [finding.typeStart, finding.typeEnd] = type;
	}
}

/**
 * Gives a finding the security code, or its stars, right behind its number and expiry in a value that ends at `end`. If it
 * has a CVV in a field of its own, or a word announces the code, that is one outside the card fields.
 */
export function takeCodeBehind(bytes: Buffer, finding: Finding, end: number, findings: Findings): void {
	const { numberStart, numberEnd } = finding;
	const at = codeBehind(bytes, numberEnd, end, isAmexRange(bytes, numberStart));
	findAnnouncedCodes(bytes, numberStart, numberEnd, end, (code, isDoubtful) => {
		addCode(bytes, findings, code, end).isCvvDoubtful = isDoubtful;
	});
	const hasExpiry = readLikelyExpiryBehind(bytes, numberEnd, end) !== EXPIRY_ABSENT;
	if (at === -1 && !hasExpiry) addLone(bytes, finding, numberEnd, end, findings);
	if (at === -1) return;
	if (finding.cvvEnd === finding.cvvStart) {
		finding.cvvStart = at;
		finding.cvvEnd = isDigit(bytes[at]) ? endOfDigits(bytes, at, end) : endOfStars(bytes, at, end);
		finding.isCvvBare = false;
	} else if (isDigit(bytes[at])) addCode(bytes, findings, at, end);
}

/** Adds the only digits in `bytes[start, end)`, on one side of the number in a card field, if they may be its code. */
function addLone(bytes: Buffer, { numberStart }: Finding, start: number, end: number, findings: Findings): void {
	const code = loneDigits(bytes, start, end, isAmexRange(bytes, numberStart));
	if (code !== -1) addCode(bytes, findings, code, end).isCvvDoubtful = true;
}

/** Adds the security code at `at` as one outside the card fields. */
function addCode(bytes: Buffer, findings: Findings, at: number, end: number): Finding {
	const code = findings.next();
	code.isOther = true;
	code.isCode = true;
	code.numberStart = at;
	code.numberEnd = endOfDigits(bytes, at, end);
	return code;
}

/**
 * Narrows the CVV of a finding to the code in its field, or to the stars in its place, so that what people wrote beside it
 * stays. Stars take the place of all of a bare number, as of a CVV with escapes.
 */
export function narrowCvv(bytes: Buffer, finding: Finding): void {
	const { cvvStart, cvvEnd } = finding;
	if (cvvStart === cvvEnd || finding.isCvvBare || isPlainCode(bytes, cvvStart, cvvEnd)) return;
	narrowToCode(bytes, cvvStart, cvvEnd);
	finding.cvvStart = CODE_PLACE.start;
	finding.cvvEnd = CODE_PLACE.end;
}

/** Tells whether a value is nothing but a number of as many digits as a card has, whatever its check digit. */
export function isNumber(value: Buffer): boolean {
	const { kind, hasOtherCharacters, count } = reading.read(value, 0, value.length);
	reading.clear();
	return kind === 'digits' && !hasOtherCharacters && count >= MIN_DIGITS;
}

/** Adds a finding for the masked number in `bytes[start, end)`, if there is one. */
function addMasked(bytes: Buffer, { record }: Finding, start: number, end: number, findings: Findings): void {
	let signs = 0;
	let isHidden = false;
	for (let i = start; i < end; i++) {
		if (isMask(bytes[i]) || isDigit(bytes[i])) signs++;
		// A single sign only divides values: `#1229#123`.
		isHidden ||= isMask(bytes[i]) && i + 1 < end && isMask(bytes[i + 1]);
	}
	if (signs < SHORTEST_MASKED || !isHidden) return;
	const { kind } = reading.read(bytes, start, end);
	reading.clear();
	if (kind !== 'masked') return;
	const finding = findings.next();
	finding.record = record;
	finding.numberStart = start;
	finding.numberEnd = end;
}
