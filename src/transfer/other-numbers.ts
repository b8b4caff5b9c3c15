// Counts what looks like a card number outside the places a layout has for them. Nothing is changed: the count in the
// report tells an operator that a file holds more than its format says (formats §1).

import { brandOf } from '../card/brand.ts';
import { passesLuhn } from '../card/luhn.ts';

const SHORTEST = 13;
const LONGEST = 19;
/** Longest run worth carrying over a cut: one more than the longest number. */
const CARRIED = LONGEST + 1;

/** Counts over consecutive stretches of one file, whatever their cut. */
export class OtherNumbers {
	count = 0;
	/** The unfinished word at the end of the stretch before, at most `CARRIED` bytes of it. */
	private readonly carried = Buffer.alloc(CARRIED + CARRIED);
	private carriedLength = 0;

	/** Looks at `bytes[start, end)`. With `isCut` more of the same text follows in the next call. */
	scan(bytes: Uint8Array, start: number, end: number, isCut: boolean): void {
		let at = start;
		if (this.carriedLength > 0) {
			while (at < end && isWord(bytes[at])) {
				if (this.carriedLength < this.carried.length) this.carried[this.carriedLength++] = bytes[at];
				at++;
			}
			if (at === end && isCut) return;
			this.judge(this.carried, 0, this.carriedLength);
			this.carried.fill(0);
			this.carriedLength = 0;
		}
		let stop = end;
		if (isCut) {
			while (stop > at && isWord(bytes[stop - 1])) stop--;
			for (let i = stop; i < end && this.carriedLength < CARRIED; i++) this.carried[this.carriedLength++] = bytes[i];
		}
		this.scanWhole(bytes, at, stop);
	}

	/** A run of 13 digits cannot hide between two looks 13 bytes apart, so most bytes are never read. */
	private scanWhole(bytes: Uint8Array, start: number, end: number): void {
		for (let probe = start + SHORTEST - 1; probe < end; probe += SHORTEST) {
			const byte = bytes[probe];
			if (byte < 0x30 || byte > 0x39) continue;
			let first = probe;
			while (first > start && isWord(bytes[first - 1])) first--;
			let after = probe + 1;
			while (after < end && isWord(bytes[after])) after++;
			this.judge(bytes, first, after);
			probe = after;
		}
	}

	private judge(bytes: Uint8Array, start: number, end: number): void {
		const length = end - start;
		if (length < SHORTEST || length > LONGEST) return;
		for (let i = start; i < end; i++) if (bytes[i] < 0x30 || bytes[i] > 0x39) return;
		if (passesLuhn(bytes, start, length) && brandOf(bytes, start, length) !== 0) this.count++;
	}
}

function isWord(byte: number): boolean {
	return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}
