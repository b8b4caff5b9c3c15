import { areAlike } from '../ascii.ts';
import { ISSUED_LENGTHS, LONGEST_CARD, SHORTEST_CARD } from '../card-digits.ts';
import { type DigitReader, UNIT } from '../spelling/digit-text.ts';
import {
	codeOfGroups,
	LEAST_OF_FIRST_GROUP,
	LEAST_OF_GROUP,
	MIN_DIGITS_BEHIND_POINT,
	PRINTED_GROUPS,
	SHORTEST_IN_ODD_GROUPS,
} from '../spelling/printed-groups.ts';

/**
 * A run consists of digits and separators, which divide the digits into groups. At most this many groups are examined
 * together; a longer run is read in overlapping pieces.
 */
const MAX_GROUPS = 256;
/**
 * The first digits of each group are kept, up to this many. That is one more than the longest card number has, so a
 * group that is too long can still be recognised.
 */
export const KEPT_DIGITS = 20;
const ONE = 0x31;
const POINT = 0x2e;

/**
 * Holds the groups of digits in one run of digits and separators, with at most `KEPT_DIGITS` digits each. The object is
 * reused, and it holds digits in clear until `wipe` is called.
 */
export class DigitGroups {
	count = 0;
	readonly starts = new Int32Array(MAX_GROUPS);
	readonly ends = new Int32Array(MAX_GROUPS);
	/** Holds the number of digits of each group, at most `KEPT_DIGITS`. */
	readonly lengths = new Uint8Array(MAX_GROUPS);
	/** The ASCII digits, `KEPT_DIGITS` bytes for each group. */
	readonly digits = Buffer.alloc(MAX_GROUPS * KEPT_DIGITS);

	/**
	 * Reads the groups of digits of `bytes[at, to)` until the end or until no other group fits. Returns
	 * the offset it has reached.
	 */
	read(bytes: Uint8Array, at: number, to: number, reader: DigitReader): number {
		this.count = 0;
		let isOpen = false;
		while (at < to) {
			const unit = reader.read(bytes, at, to);
			if (unit !== UNIT.DIGIT) {
				isOpen = false;
				at += reader.width;
				continue;
			}
			if (!isOpen) {
				if (this.count === MAX_GROUPS) return at;
				this.starts[this.count] = at;
				this.lengths[this.count++] = 0;
				isOpen = true;
			}
			const group = this.count - 1;
			if (this.lengths[group] < KEPT_DIGITS) {
				this.digits[group * KEPT_DIGITS + this.lengths[group]++] = reader.digit;
			}
			at += reader.width;
			this.ends[group] = at;
		}
		return at;
	}

	/**
	 * Returns whether the groups from `first` to before `after` may be one number among other digits: either they are
	 * like the groups on printed cards, or they are long and all have the same separator.
	 */
	isGrouped(bytes: Buffer, first: number, after: number): boolean {
		const { lengths } = this;
		let digits = 0;
		let isLong = lengths[first] >= LEAST_OF_FIRST_GROUP;
		for (let i = first; i < after; i++) {
			digits += lengths[i];
			if (i < after - 1 && lengths[i] < LEAST_OF_GROUP) isLong = false;
		}
		if (digits < SHORTEST_CARD || digits > LONGEST_CARD) return false;
		if (isLong && digits >= SHORTEST_IN_ODD_GROUPS && this.isDividedAlike(bytes, first, after)) return true;
		return isLong && PRINTED_GROUPS.has(codeOfGroups(lengths, first, after)) && !this.#endsInFraction(bytes, after);
	}

	/** Returns whether the last group is the fraction of what a spreadsheet took for a number, as in `4111 1111 1111 1111.00`. */
	#endsInFraction(bytes: Buffer, after: number): boolean {
		const at = this.ends[after - 2];
		return (
			this.lengths[after - 1] < MIN_DIGITS_BEHIND_POINT && this.starts[after - 1] - at === 1 && bytes[at] === POINT
		);
	}

	/**
	 * Returns whether all groups before `after` have one or two digits, and as many as the first, of a number as long as
	 * those that are issued. UATP numbers begin with a 1, as lists of small numbers often do, and do not count.
	 */
	areSmallAndAlike(after: number): boolean {
		const { lengths } = this;
		const size = lengths[0];
		const last = lengths[after - 1];
		const isIssued = ISSUED_LENGTHS.has(size * (after - 1) + last);
		if (size > 2 || last > size || this.digits[0] === ONE || !isIssued) return false;
		for (let i = 1; i < after - 1; i++) if (lengths[i] !== size) return false;
		return true;
	}

	/** Returns whether the same separator stands between all groups from `first` to before `after`. */
	isDividedAlike(bytes: Buffer, first: number, after: number): boolean {
		const { starts, ends } = this;
		const [from, gap] = [ends[first], starts[first + 1] - ends[first]];
		for (let i = first + 2; i < after; i++) {
			if (starts[i] - ends[i - 1] !== gap || !areAlike(bytes, from, ends[i - 1], gap)) return false;
		}
		return true;
	}

	wipe(): void {
		this.digits.fill(0);
		this.count = 0;
	}
}
