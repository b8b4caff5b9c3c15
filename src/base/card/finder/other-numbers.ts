// Finds every text that a reader would take for a card number, wherever it is and no matter what the format expects at
// that place (formats §1.13). It is the last line of defence; docs/other-numbers.md describes what is recognised.

import { isAlphanumeric, isContinuation, isDigit } from '../ascii.ts';
import { cardBrandOf, LONGEST_CARD, SHORTEST_CARD } from '../card-digits.ts';
import { isLabelledCode } from '../names/cvv-label.ts';
import { BYTE, BYTE_CLASS, DigitReader, UNIT } from '../spelling/digit-text.ts';
import { endOfExpiryBehind } from '../spelling/expiry-behind.ts';
import { LEAST_OF_FIRST_GROUP, MOST_PRINTED_GROUPS } from '../spelling/printed-groups.ts';
import { isMaskedAlone } from '../zero-mask.ts';
import { DigitGroups, KEPT_DIGITS } from './digit-groups.ts';
import { DividedGroups, LONGEST_GROUP, mayDivide } from './divided-groups.ts';
import { isBesideToken, isPartOfCode, isTicketOrPhone } from './number-decoys.ts';
import { type NumberPlaces, PLACE } from './number-places.ts';
import { isBetween, isInLongRun, isNearDigit, longRunsAt, MAX_GAP, REACH, RUN } from './number-probe.ts';
import type { NumberRuns } from './number-runs.ts';
import { OddNumbers } from './odd-numbers.ts';
import { noteLines } from './wrapped-stretches.ts';

/**
 * A run of digits and separators with more groups than this is a list of small numbers, not one card number, unless the
 * groups are alike: `4 1 1 1 …`.
 */
const MAX_LONE_GROUPS = 8;
/** An expiry and a security code behind a number have at most this many groups and digits: `12 29 1 2 3 4`. */
const MOST_EXPIRY_GROUPS = 6;
const MOST_EXPIRY_DIGITS = 7;
/** The number of an item in a list has at most this many digits: `12.` */
const LONGEST_ITEM = 2;
const POINT = 0x2e;

/** Finds card numbers in stretches of text. One instance serves one file; call `wipe` when done. */
export class OtherNumbers {
	readonly #reader = new DigitReader();
	readonly #groups = new DigitGroups();
	readonly #number = Buffer.alloc(LONGEST_CARD);
	readonly #divided = new DividedGroups();
	readonly #odd: OddNumbers;
	readonly #hasLists: boolean;
	readonly #isInValue: boolean;
	/** The stretch of text that is searched. */
	#start = 0;
	#end = 0;
	/** The end of the last number with divided groups. No other number begins before it. */
	#least = 0;
	/** What is to be done with the number that `#isCard` has found last. */
	#kind: typeof PLACE.REPLACED | typeof PLACE.MASKED = PLACE.REPLACED;

	/**
	 * `hasLists` says that a number behind `1.` is an item of a list and not a fraction. `isInValue` says that the text is
	 * the value of one field, in which no sign divides the fields of a file.
	 */
	constructor(hasLists = false, isInValue = false) {
		this.#hasLists = hasLists;
		this.#isInValue = isInValue;
		this.#odd = new OddNumbers(isInValue);
	}

	/**
	 * Adds the position of every card number in `bytes[start, end)` to `places`, in order. A card number has 13 to 19
	 * digits, begins like those of a known brand and passes Luhn. Blanks, hyphens and points may divide it into groups,
	 * and so may one other sign (`DividedGroups`). Letters may stand directly beside it; further digits may not, except as
	 * `OddNumbers` says. `runs` are those of the text to which the stretch belongs, if that is large enough to look for
	 * them first.
	 */
	find(bytes: Buffer, start: number, end: number, places: NumberPlaces, runs?: NumberRuns): void {
		this.#begin(start, end);
		if (runs !== undefined) {
			this.#findInRuns(bytes, places, runs);
			return;
		}
		// Every 13th byte is examined. A number takes at least 13 bytes, all of them digits or separators, so it always
		// contains an examined byte.
		for (let probe = start + SHORTEST_CARD - 1; probe < end; probe += SHORTEST_CARD) {
			if (probe + REACH < bytes.length && !isInLongRun(bytes, probe)) continue;
			probe = this.#lookAt(bytes, probe, places);
		}
	}

	/** Does the same for text of lines. Adds the stretches in which line ends divide digits to `wrapped`. */
	findInLines(bytes: Buffer, start: number, end: number, places: NumberPlaces, wrapped: number[]): void {
		this.#begin(start, end);
		let linesTo = start;
		for (let probe = start + SHORTEST_CARD - 1; probe < end; probe += SHORTEST_CARD) {
			const runs = probe + REACH < bytes.length ? longRunsAt(bytes, probe) : RUN.LINE | RUN.LINES;
			if (runs === 0) continue;
			if (probe >= linesTo) linesTo = noteLines(bytes, probe, start, end, wrapped);
			if (runs & RUN.LINE) probe = this.#lookAt(bytes, probe, places);
		}
	}

	#findInRuns(bytes: Buffer, places: NumberPlaces, runs: NumberRuns): void {
		const end = this.#end;
		let at = this.#start + SHORTEST_CARD - 1;
		// Digits before the stretch, which are no part of it, make a longer group of its first digits, and hide where they begin.
		const isCut = this.#start > 0 && isDigit(bytes[this.#start - 1]);
		for (at = isCut ? at : runs.next(at); at < end; at = runs.next(at + SHORTEST_CARD)) {
			at = this.#lookAt(bytes, at, places);
		}
	}

	#begin(start: number, end: number): void {
		this.#start = start;
		this.#end = end;
		this.#least = start;
		this.#odd.start = start;
		this.#odd.end = end;
	}

	/** Examines the text around `probe`, and returns the offset to which it was examined. */
	#lookAt(bytes: Buffer, probe: number, places: NumberPlaces): number {
		const kind = BYTE_CLASS[bytes[probe]];
		if (kind === BYTE.OTHER && !isBetween(bytes, probe - 1, probe, probe + 3)) return probe;
		const isFar =
			kind === BYTE.OTHER || (kind === BYTE.SEPARATOR && !isNearDigit(bytes, probe, this.#start, this.#end));
		const after = isFar ? probe : this.#around(bytes, probe, places);
		if (after > probe) return after;
		return this.#addDivided(bytes, probe, places) ? this.#least : probe;
	}

	wipe(): void {
		this.#groups.wipe();
		this.#number.fill(0);
		this.#divided.wipe();
		this.#odd.wipe();
	}

	/**
	 * Examines the run of digits and separators around the byte at `probe`. Returns the offset after the run, or `probe`
	 * if that byte is not in such a run.
	 */
	#around(bytes: Buffer, probe: number, places: NumberPlaces): number {
		const from = this.#firstDigit(bytes, probe);
		if (from === -1) return probe;
		const end = this.#end;
		let at = from;
		let digits = 0;
		let group = 0;
		let firstGroup = 0;
		let gap = 0;
		let afterDigit = from;
		let mayHold = false;
		while (at < end) {
			const kind = BYTE_CLASS[bytes[at]];
			if (kind === BYTE.DIGIT) {
				group++;
				gap = 0;
				afterDigit = ++at;
				continue;
			}
			if (kind === BYTE.OTHER) break;
			let unit: number = UNIT.SEPARATOR;
			let width = 1;
			if (kind === BYTE.HIGH) {
				unit = this.#reader.read(bytes, at, end);
				width = this.#reader.width;
			}
			if (unit === UNIT.NONE || (unit === UNIT.SEPARATOR && ++gap > MAX_GAP)) break;
			at += width;
			if (unit === UNIT.DIGIT) {
				group++;
				gap = 0;
				afterDigit = at;
			} else if (group > 0) {
				mayHold ||= mayBePart(group);
				firstGroup ||= group;
				digits += group;
				group = 0;
			}
		}
		digits += group;
		firstGroup ||= group;
		// A sign divides no longer groups.
		const isBehindSign = firstGroup <= LONGEST_GROUP && isBetween(bytes, from - 4, from - 1, from);
		if (isBehindSign && this.#addDivided(bytes, from - 1, places)) {
			return probe < this.#least ? this.#least : this.#around(bytes, probe, places);
		}
		const isCandidate = mayHold || mayBePart(group) || digits <= LONGEST_CARD + MOST_EXPIRY_DIGITS;
		const known = places.count;
		if (digits >= SHORTEST_CARD) {
			if (isCandidate) this.#readRun(bytes, from, afterDigit, places);
			this.#odd.find(bytes, from, afterDigit, places, known);
		}
		if (group > LONGEST_GROUP && places.count === known) return afterDigit;
		const isBeforeSign = isBetween(bytes, afterDigit - 1, afterDigit, afterDigit + 3);
		return isBeforeSign && this.#addDivided(bytes, afterDigit, places) ? this.#least : afterDigit;
	}

	/** Adds the number whose groups the gap around `at` divides. Returns false if there is none that is new. */
	#addDivided(bytes: Buffer, at: number, places: NumberPlaces): boolean {
		const groups = this.#divided;
		// A number that was found before is no part of another one, and it may have the same sign behind it.
		const start = places.count === 0 ? this.#start : places.ends[places.count - 1];
		if (at === start || !mayDivide(bytes, at) || !groups.read(bytes, at, start, this.#end)) return false;
		if (cardBrandOf(groups.digits, 0, groups.count) === 0) return false;
		const { start: first, end: after, endWithExpiry, isDivider } = groups;
		const isOnlyTold =
			(isDivider && !this.#isInValue) || isBesideToken(bytes, first, endWithExpiry, this.#start, this.#end);
		const isMasked = this.#isMasked(groups.digits, groups.count);
		places.add(first, after, isMasked ? PLACE.MASKED : isOnlyTold ? PLACE.TOLD : PLACE.REPLACED);
		this.#least = after;
		return true;
	}

	/** Tells whether zeros mask a number. In a card field they are digits like any other. */
	#isMasked(digits: Uint8Array, count: number): boolean {
		return !this.#isInValue && isMaskedAlone(digits, 0, count);
	}

	/** Returns the offset of the first digit in the run that contains `probe`, or -1 if there is none. */
	#firstDigit(bytes: Buffer, probe: number): number {
		const start = this.#least;
		let at = bytes[probe] < 0x80 ? probe + 1 : this.#endOfUnit(bytes, probe);
		if (at === -1) return -1;
		let first = -1;
		let gap = 0;
		while (at > start) {
			const kind = BYTE_CLASS[bytes[at - 1]];
			if (kind === BYTE.DIGIT) {
				first = --at;
				gap = 0;
			} else if (kind === BYTE.SEPARATOR) {
				if (++gap > MAX_GAP) break;
				at--;
			} else if (kind === BYTE.OTHER) break;
			else {
				const unit = this.#reader.readBefore(bytes, at, start);
				if (unit === UNIT.NONE || (unit === UNIT.SEPARATOR && ++gap > MAX_GAP)) break;
				at -= this.#reader.width;
				if (unit === UNIT.SEPARATOR) continue;
				first = at;
				gap = 0;
			}
		}
		return first;
	}

	/** Returns the end of the digit or separator that contains the non-ASCII byte at `probe`, or -1 if there is none. */
	#endOfUnit(bytes: Buffer, probe: number): number {
		let at = probe;
		while (at > this.#start && isContinuation(bytes[at]) && probe - at < 3) at--;
		if (this.#reader.read(bytes, at, this.#end) !== UNIT.NONE && at + this.#reader.width > probe) {
			return at + this.#reader.width;
		}
		// Even if the byte belongs to no UTF-8 character, it may be a non-breaking blank of Latin-1.
		return this.#reader.read(bytes, probe, this.#end) === UNIT.NONE ? -1 : probe + this.#reader.width;
	}

	/** Reads a run of digits and separators in pieces that fit into `#groups`, and adds the numbers of each piece. */
	#readRun(bytes: Buffer, from: number, to: number, places: NumberPlaces): void {
		const groups = this.#groups;
		for (let at = from; at < to; ) {
			at = groups.read(bytes, at, to, this.#reader);
			const isWhole = at >= to && groups.starts[0] === from;
			const next = this.#judgeGroups(bytes, at < to, isWhole, places);
			// A number may begin in the last groups of a piece and end in the next piece, so the next piece begins with these
			// groups.
			if (at < to) at = groups.starts[next];
		}
	}

	/**
	 * Adds the numbers in the groups that were read. If the run continues after them, the last groups are left for the
	 * next piece; returns the index of the first group that was left.
	 */
	#judgeGroups(bytes: Buffer, hasMore: boolean, isWhole: boolean, places: NumberPlaces): number {
		const groups = this.#groups;
		const limit = hasMore ? groups.count - MOST_PRINTED_GROUPS : groups.count;
		const before = places.count;
		let first = 0;
		while (first < limit) first = this.#judgeFrom(bytes, first, places);
		if (isWhole && places.count === before) {
			const after = this.#endOfLoneNumber(bytes);
			if (after > 0) places.add(groups.starts[0], groups.ends[after - 1], this.#kind);
		}
		return first;
	}

	/**
	 * Adds the number that begins with group `first`, if there is one, and returns the group at which to continue. If
	 * that group is a number by itself, it is taken alone (`4111111111111111.00`); otherwise the longest number is taken.
	 * A masked number is the last choice, because with a CVV behind it a number full of zeros may look like one.
	 */
	#judgeFrom(bytes: Buffer, first: number, places: NumberPlaces): number {
		const groups = this.#groups;
		const isOne = !this.#isFraction(bytes, first, places) && this.#isCard(bytes, first, first + 1);
		let after = isOne ? first + 1 : Math.min(groups.count, first + MOST_PRINTED_GROUPS);
		let masked = 0;
		for (; after > first + 1; after--) {
			if (!groups.isGrouped(bytes, first, after) || !this.#isCard(bytes, first, after)) continue;
			if (this.#kind !== PLACE.MASKED) break;
			masked ||= after;
		}
		if (after === first + 1 && masked > 0) {
			after = masked;
			this.#kind = PLACE.MASKED;
		}
		if (after > first + 1 || isOne) places.add(groups.starts[first], groups.ends[after - 1], this.#kind);
		return after;
	}

	/**
	 * Returns the group behind the one card number that a whole run of groups is, or 0 if it is none. Its groups may be of
	 * any length, but they must have the same separator, and no letter or digit may stand directly before or after them.
	 * Behind a number that is written digit by digit or two by two, the last groups may be its expiry.
	 */
	#endOfLoneNumber(bytes: Buffer): number {
		const groups = this.#groups;
		const { count, starts, ends } = groups;
		if (count < 2 || this.#isAlphanumericAt(bytes, starts[0] - 1)) return 0;
		if (isTicketOrPhone(bytes, this.#start, starts[0], groups.lengths, count)) return 0;
		for (let after = count; after > 1 && after >= count - MOST_EXPIRY_GROUPS; after--) {
			const mayBeNumber = (after === count && count <= MAX_LONE_GROUPS) || groups.areSmallAndAlike(after);
			if (!mayBeNumber || this.#isAlphanumericAt(bytes, ends[after - 1])) continue;
			if (!groups.isDividedAlike(bytes, 0, after) || !this.#isCard(bytes, 0, after)) continue;
			if (after === count || endOfExpiryBehind(bytes, ends[after - 1], this.#end) !== -1) return after;
		}
		return 0;
	}

	/**
	 * Returns whether a group is the fraction of a decimal number, as in `0.4111111111111111`, and so not a card number.
	 * A point right after a card number or a security code does not start a fraction.
	 */
	#isFraction(bytes: Buffer, group: number, places: NumberPlaces): boolean {
		if (group === 0) return false;
		const { starts, ends, lengths } = this.#groups;
		if (places.count > 0 && places.ends[places.count - 1] === ends[group - 1]) return false;
		if (starts[group] - ends[group - 1] !== 1 || bytes[ends[group - 1]] !== POINT) return false;
		const isItem = this.#hasLists && lengths[group - 1] <= LONGEST_ITEM && bytes[starts[group - 1] - 1] !== POINT;
		return !isItem && !isLabelledCode(bytes, starts[group - 1], this.#start, this.#end);
	}

	#isAlphanumericAt(bytes: Buffer, at: number): boolean {
		return at >= this.#start && at < this.#end && isAlphanumeric(bytes[at]);
	}

	#isCard(bytes: Buffer, first: number, after: number): boolean {
		const { digits, lengths, starts, ends } = this.#groups;
		let count = 0;
		for (let i = first; i < after; i++) count += lengths[i];
		if (count < SHORTEST_CARD || count > LONGEST_CARD) return false;
		count = 0;
		for (let i = first; i < after; i++) {
			for (let at = i * KEPT_DIGITS, end = at + lengths[i]; at < end; at++) this.#number[count++] = digits[at];
		}
		if (cardBrandOf(this.#number, 0, count) === 0) return false;
		this.#kind = this.#isMasked(this.#number, count) ? PLACE.MASKED : PLACE.REPLACED;
		return !isPartOfCode(bytes, starts[first], ends[after - 1], this.#start, this.#end);
	}
}

/** Tells whether a group of this many digits may be a card number by itself, or the first group of one. */
function mayBePart(digits: number): boolean {
	return digits >= LEAST_OF_FIRST_GROUP && digits <= LONGEST_CARD;
}
