import { type DigitReader, UNIT } from '../card/digit-text.ts';

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
	 * Reads the groups of digits of `bytes[at, to)` until the end or until there is no room for another group. Returns
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

	wipe(): void {
		this.digits.fill(0);
		this.count = 0;
	}
}
