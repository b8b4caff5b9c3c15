import { type DigitReader, UNIT } from '../card/digit-text.ts';

/**
 * At most this many groups of digits of a run (digits and separators) are examined together. A longer run is read in
 * overlapping pieces.
 */
const MAX_GROUPS = 256;
/** This many digits of a group are kept: one more than the longest number has, which shows that a group is too long. */
export const KEPT_DIGITS = 20;

/**
 * Holds the groups of digits of one run of digits and separators, with at most `KEPT_DIGITS` digits each. The object is
 * reused and holds clear digits until `wipe`.
 */
export class DigitGroups {
	count = 0;
	readonly starts = new Int32Array(MAX_GROUPS);
	readonly ends = new Int32Array(MAX_GROUPS);
	/** Holds the number of digits of each group, at most `KEPT_DIGITS`. */
	readonly lengths = new Uint8Array(MAX_GROUPS);
	/** The ASCII digits, `KEPT_DIGITS` bytes for each group. */
	readonly digits = Buffer.alloc(MAX_GROUPS * KEPT_DIGITS);

	/** Reads `bytes[at, to)` into groups until there is no room for another one, and returns the offset it has reached. */
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

	wipe(): void {
		this.digits.fill(0);
		this.count = 0;
	}
}
