// Finds card numbers whose groups are divided by a sign that usually divides other things: `4111/1111/1111/1111`. Such a
// sign makes a number only if the groups are exactly those of a card and nothing else is divided in the same way.

import { areAlike, isDigit, isTextAt, tableOf } from '../ascii.ts';
import { cardBrandOf, isExpiry, LONGEST_CARD, SHORTEST_CARD } from '../card-digits.ts';
import { TOKEN_LENGTH } from '../number.ts';
import { DigitReader, UNIT } from '../spelling/digit-text.ts';
import { MOST_PRINTED_GROUPS, SHORTEST_IN_ODD_GROUPS, USUAL_GROUPS } from '../spelling/printed-groups.ts';
import { isInAddress, isLikeToken } from './number-decoys.ts';

const BLANK = 0x20;
const COLON = 0x3a;
/** Without a sign, this many blanks may divide two groups. Fewer blanks are separators of any number. */
const BLANKS = 4;
/** The longest gap in bytes: a sign of three bytes with a blank on both sides. */
const LONGEST_GAP = 5;
/** Holds 1 for every ASCII byte that may divide the groups. */
const SIGNS = tableOf("/_,*:+=~'|;\t^`");
/** The signs above ASCII: middle dot, minus, bullet, and the typographic apostrophe of Swiss amounts. */
const WIDE_SIGNS = ['\u00b7', '\u2212', '\u2019', '\u2022'].map((sign) => Buffer.from(sign));
/** Holds 1 for every byte of a gap. */
export const GAP_BYTES = Uint8Array.from(SIGNS);
for (const byte of [BLANK, ...Buffer.concat(WIDE_SIGNS)]) GAP_BYTES[byte] = 1;
/** These signs divide the values of a file, so that a number with them cannot be replaced as one text. */
const DIVIDERS = new Set(Buffer.from(',;|\t'));
/** The lengths of the groups of an expiry, with a security code behind it or without one. */
const EXPIRY_GROUPS = new Set(['4', '43', '44', '22', '223', '224', '24', '243', '244']);
const LONGEST_EXPIRY = 3;
/** Each group has at most this many digits. */
export const LONGEST_GROUP = 6;
const SHORTEST_BEHIND = 3;
/** Holds 1 for every pair of lengths, as `8 * first + second`, that two groups beside each other may have. */
const PAIRS = new Uint8Array(64);
for (const [first, second] of ['44', '46', '65', '64', '43', '13', '23', '33']) {
	PAIRS[8 * Number(first) + Number(second)] = 1;
}
const MOST_GROUPS = 7;
/** The signs that divide thousands, each as its first byte: comma, apostrophe, and typographic apostrophe. */
const THOUSANDS = new Set([0x2c, 0x27, 0xe2]);

/**
 * Tells at a glance whether the byte at `at` may be in a gap between two groups. A file has millions of such bytes, and
 * beside most of them there is no group of a card.
 */
export function mayDivide(bytes: Uint8Array, at: number): boolean {
	const byte = bytes[at];
	const before = bytes[at - 1];
	const after = bytes[at + 1];
	if (byte === BLANK) return isGapByte(before) || isGapByte(after);
	if (!isGapByte(byte)) return false;
	if (byte >= 0x80) return true;
	return (before === BLANK || isDigit(before)) && (after === BLANK || (isDigit(after) && isDigit(bytes[at + 3])));
}

function isGapByte(byte: number): boolean {
	return GAP_BYTES[byte] === 1;
}

/** Returns the width in bytes of the sign that ends before `at` and begins at `start` or later, or 0 if there is none. */
export function signWidthBefore(bytes: Uint8Array, at: number, start: number): number {
	return signWidth(bytes, at, start, at, true);
}

/** Returns the width of the sign in `bytes[start, end)` that begins at `at`, or, with `isBefore`, ends there. */
function signWidth(bytes: Uint8Array, at: number, start: number, end: number, isBefore: boolean): number {
	const known = isBefore ? at - 1 : at;
	if (known < start || known >= end) return 0;
	if (bytes[known] < 0x80) return SIGNS[bytes[known]];
	if (GAP_BYTES[bytes[known]] === 0) return 0;
	for (const sign of WIDE_SIGNS) {
		const first = isBefore ? at - sign.length : at;
		if (first >= start && first + sign.length <= end && isTextAt(bytes, first, sign)) return sign.length;
	}
	return 0;
}

/** Examines groups of ASCII digits. Its fields describe the groups that were found last; `wipe` removes their digits. */
export class DividedGroups {
	start = 0;
	end = 0;
	/** The end of the expiry behind the groups that the same sign divides from them, or of the groups if there is none. */
	endWithExpiry = 0;
	/** The digits of the groups; only the first `count` bytes are valid. */
	readonly digits = Buffer.alloc(MOST_GROUPS * LONGEST_GROUP);
	count = 0;
	readonly #reader = new DigitReader();
	/** The digits that follow the groups. */
	readonly #next = Buffer.alloc(LONGEST_CARD + 1);
	/** True if the sign also divides the values of a file. */
	isDivider = false;
	/** True if what looks like a token ends before the first group, with the same gap between. */
	#isBehindToken = false;
	/** True if the same sign divides the groups from another card number behind them. */
	#isBeforeCard = false;

	/**
	 * Reads the groups around the gap that contains or follows `at`. Returns whether they are the groups of a card or of
	 * an amount in thousands, all with the same gap between them. A further group may follow in this way only if another
	 * card number or an expiry begins with it. Groups of an IPv6 address are not those of a card.
	 */
	read(bytes: Buffer, at: number, start: number, end: number): boolean {
		let gapStart = at;
		while (gapStart > start && at - gapStart < LONGEST_GAP && isGapByte(bytes[gapStart - 1])) gapStart--;
		if (gapStart <= start || !isDigit(bytes[gapStart - 1])) return false;
		const gap = gapWidth(bytes, gapStart, end);
		// Most signs divide other groups than those of a card, such as dates and amounts. They are refused here at once.
		if (gap === 0 || !isPair(bytes, gapStart, gapStart + gap, start, end)) return false;
		if (this.#readBehind(bytes, start, gapStart, gap, end)) return true;
		// The same sign may divide the groups from the expiry of the number before them.
		if (!areAlike(bytes, gapStart, start, gap)) return false;
		const isBehind = (after: number) => this.#readBehind(bytes, after, gapStart, gap, end);
		return endOfExpiry(bytes, start + gap, gapStart, gap, end, isBehind) !== -1;
	}

	wipe(): void {
		this.digits.fill(0);
		this.#next.fill(0);
		this.count = 0;
	}

	/**
	 * Reads the groups around the gap at `gapStart`, none of which begins before `start`. If the first of them is the end of
	 * what looks like a token, the groups behind it are tried without it, and then all together.
	 */
	#readBehind(bytes: Buffer, start: number, gapStart: number, gap: number, end: number): boolean {
		const first = this.#firstGroup(bytes, gapStart, gap, start, true);
		const isFound = this.#readGroups(bytes, first, start, gapStart, gap, end);
		if (!this.#isBehindToken || (isFound && cardBrandOf(this.digits, 0, this.count) !== 0)) return isFound;
		const before = this.#firstGroup(bytes, gapStart, gap, start, false);
		return this.#readGroups(bytes, before, start, gapStart, gap, end);
	}

	#readGroups(bytes: Buffer, first: number, start: number, gapStart: number, gap: number, end: number): boolean {
		if (first === -1 || !this.#readFrom(bytes, first, gapStart, gap, end)) return false;
		const mayBeAddress = gap === 1 && bytes[gapStart] === COLON && !this.#isBeforeCard;
		if (mayBeAddress && isInAddress(bytes, first, this.end, start, end)) return false;
		// Digits of another script directly beside the groups make another number of them.
		if (this.#reader.readBefore(bytes, first, start) === UNIT.DIGIT) return false;
		return this.end === end || this.#reader.read(bytes, this.end, end) !== UNIT.DIGIT;
	}

	/** Returns the start of the first of the groups that the gap at `gapStart` and gaps like it divide, or -1. */
	#firstGroup(bytes: Buffer, gapStart: number, gap: number, start: number, endsAtToken: boolean): number {
		this.#isBehindToken = false;
		let after = gapStart;
		for (let groups = 1; groups <= MOST_GROUPS; groups++) {
			let first = after;
			while (first > start && isDigit(bytes[first - 1]) && after - first <= LONGEST_GROUP) first--;
			if (after - first > LONGEST_GROUP) return -1;
			const before = first - gap;
			const isDivided = before > start && isDigit(bytes[before - 1]);
			if (!isDivided || !areAlike(bytes, gapStart, before, gap)) return first;
			this.#isBehindToken = endsAtToken && isLikeToken(bytes, before - TOKEN_LENGTH, start, before);
			if (this.#isBehindToken) return first;
			if (!isPair(bytes, before, first, start, gapStart)) return -1;
			after = before;
		}
		return -1;
	}

	#readFrom(bytes: Buffer, first: number, gapStart: number, gap: number, end: number): boolean {
		let at = first;
		let pattern = 0;
		this.count = 0;
		this.#isBeforeCard = false;
		for (let groups = 1; groups <= MOST_GROUPS; groups++) {
			const groupStart = at;
			while (at < end && isDigit(bytes[at]) && at - groupStart <= LONGEST_GROUP) at++;
			const length = at - groupStart;
			if (length === 0 || length > LONGEST_GROUP) return false;
			this.count += bytes.copy(this.digits, this.count, groupStart, at);
			pattern = pattern * 10 + length;
			this.endWithExpiry = at;
			const isList = goesOn(bytes, at, gapStart, gap, end);
			if (isList && !(USUAL_GROUPS.has(pattern) && this.#mayEndBefore(bytes, at + gap, gapStart, gap, end))) {
				at += gap;
				continue;
			}
			this.start = first;
			this.end = at;
			const sign = bytes[gapStart] === BLANK ? bytes[gapStart + 1] : bytes[gapStart];
			this.isDivider = DIVIDERS.has(sign);
			return USUAL_GROUPS.has(pattern) || (gap !== BLANKS && this.#areThousands(pattern, sign));
		}
		return false;
	}

	/**
	 * Tells whether the groups read so far are a card number, and what follows it at `next` is another one or its expiry:
	 * the sign that divides the groups may also divide the numbers of a list, or a number from its expiry.
	 */
	#mayEndBefore(bytes: Buffer, next: number, gapStart: number, gap: number, end: number): boolean {
		if (cardBrandOf(this.digits, 0, this.count) === 0) return false;
		this.#isBeforeCard = this.#isCardAt(bytes, next, gapStart, gap, end);
		if (this.#isBeforeCard) return true;
		const expiryEnd = endOfExpiry(bytes, next, gapStart, gap, end, (after) => {
			if (!goesOn(bytes, after, gapStart, gap, end)) return true;
			this.#isBeforeCard = this.#isCardAt(bytes, after + gap, gapStart, gap, end);
			return this.#isBeforeCard;
		});
		if (expiryEnd !== -1) this.endWithExpiry = expiryEnd;
		return expiryEnd !== -1;
	}

	/** Tells whether a card number begins at `at`, in one group or in printed groups with the same sign between them. */
	#isCardAt(bytes: Buffer, at: number, gapStart: number, gap: number, end: number): boolean {
		const digits = this.#next;
		let count = 0;
		let pattern = 0;
		for (let groups = 1; groups <= MOST_PRINTED_GROUPS; groups++, at += gap) {
			const groupStart = at;
			while (at < end && isDigit(bytes[at]) && count <= LONGEST_CARD) digits[count++] = bytes[at++];
			pattern = pattern * 10 + at - groupStart;
			const mayBeCard = (groups === 1 && count >= SHORTEST_CARD) || USUAL_GROUPS.has(pattern);
			if (mayBeCard && cardBrandOf(digits, 0, count) !== 0) return true;
			if (count > LONGEST_CARD || !goesOn(bytes, at, gapStart, gap, end)) return false;
		}
		return false;
	}

	#areThousands(pattern: number, sign: number): boolean {
		if (!THOUSANDS.has(sign) || this.count < SHORTEST_IN_ODD_GROUPS || this.count > LONGEST_CARD) return false;
		return /^[123]3+$/.test(String(pattern));
	}
}

/**
 * Returns the end of the expiry whose groups begin at `at`, with a security code behind it or without one, if the place
 * behind it fits. Returns -1 if there is none. Its groups are divided like those around the gap at `gapStart`.
 */
function endOfExpiry(
	bytes: Uint8Array,
	at: number,
	gapStart: number,
	gap: number,
	end: number,
	fits: (after: number) => boolean,
): number {
	const first = at;
	let yearEnd = at;
	for (let lengths = ''; lengths.length < LONGEST_EXPIRY; at += gap) {
		const groupStart = at;
		while (at < end && isDigit(bytes[at]) && at - groupStart <= LONGEST_GROUP) at++;
		lengths += at - groupStart;
		// The year ends the first group of four digits or the second group, and a security code may follow.
		if (lengths.length === 1 ? lengths === '4' : lengths === '22' || lengths === '24') yearEnd = at;
		if (EXPIRY_GROUPS.has(lengths) && isExpiry(bytes, first, yearEnd - 2) && fits(at)) return at;
		if (!goesOn(bytes, at, gapStart, gap, end)) return -1;
	}
	return -1;
}

/** Tells whether a gap like the one at `gapStart` divides another group, which is no token, from the one before `at`. */
function goesOn(bytes: Uint8Array, at: number, gapStart: number, gap: number, end: number): boolean {
	const next = at + gap;
	if (next >= end || !isDigit(bytes[next]) || !areAlike(bytes, gapStart, at, gap)) return false;
	return !isLikeToken(bytes, next, next, end);
}

/** Returns the width of the gap that begins at `at` and ends before a digit, or 0 if there is no gap of ours. */
function gapWidth(bytes: Uint8Array, at: number, end: number): number {
	let sign = at;
	while (sign < end && bytes[sign] === BLANK && sign - at < BLANKS) sign++;
	const blanks = sign - at;
	if (blanks === BLANKS) return sign < end && isDigit(bytes[sign]) ? BLANKS : 0;
	if (blanks > 1) return 0;
	const width = signWidth(bytes, sign, at, end, false);
	if (width === 0) return 0;
	const next = bytes[sign + width] === BLANK ? sign + width + 1 : sign + width;
	return next < end && isDigit(bytes[next]) ? next - at : 0;
}

/** Tells whether the groups of digits before `left` and from `right` on have lengths that may be beside each other. */
function isPair(bytes: Uint8Array, left: number, right: number, start: number, end: number): boolean {
	// The groups behind the first have three digits or more, which dates and amounts do not have.
	for (let i = 1; i < SHORTEST_BEHIND; i++) if (right + i >= end || !isDigit(bytes[right + i])) return false;
	let first = 0;
	while (first <= LONGEST_GROUP && left - first > start && isDigit(bytes[left - first - 1])) first++;
	let second = 0;
	while (second <= LONGEST_GROUP && right + second < end && isDigit(bytes[right + second])) second++;
	return PAIRS[8 * first + second] === 1;
}
