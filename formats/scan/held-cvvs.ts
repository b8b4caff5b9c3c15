import { areDigits } from '../../src/base/card/ascii.ts';
import { type CvvReading, readCvv } from '../../src/base/card/cvv.ts';
import { FileError, type Finding } from '../../src/engine/format.ts';

/** Each CVV takes this many entries of the list: start, end, marks, and the start and end of its name. */
const SLOTS = 5;
const BARE = 1;
const ESCAPED = 2;
/** This mark means that the name clearly says CVV. */
const SURE = 4;
const MAX_SUSPECTS = 4;

/**
 * Holds the CVVs of one card whose object or element has not ended yet, or of an object or element without a card.
 * Offsets point into the current window.
 */
export class HeldCvvs {
	/** The number of values under a name that clearly says CVV. */
	count = 0;
	/** The number of values under words such as `verification`, which are CVVs only next to a number. */
	wordCount = 0;
	/**
	 * True if the card has more values under words such as `verification` than it has numbers. It is then uncertain
	 * which of them is the CVV, so none is taken.
	 */
	isUndecided = false;
	/** Lists names whose value is written like a CVV: the start and end of the name, and the length of the value. */
	readonly suspects: number[] = [];
	readonly #slots: number[] = [];
	#length = 0;

	clear(): void {
		this.count = 0;
		this.wordCount = 0;
		this.isUndecided = false;
		if (this.suspects.length > 0) this.suspects.length = 0;
		this.#length = 0;
	}

	/** Notes a value of three or four digits under an unknown name. */
	suspect(nameStart: number, nameEnd: number, length: number): void {
		if (this.suspects.length < MAX_SUSPECTS * 3) this.suspects.push(nameStart, nameEnd, length);
	}

	add(
		start: number,
		end: number,
		isBare: boolean,
		isEscaped: boolean,
		isSure: boolean,
		nameStart: number,
		nameEnd: number,
	): void {
		const bits = (isBare ? BARE : 0) | (isEscaped ? ESCAPED : 0) | (isSure ? SURE : 0);
		const at = this.#length++ * SLOTS;
		this.#slots[at] = start;
		this.#slots[at + 1] = end;
		this.#slots[at + 2] = bits;
		this.#slots[at + 3] = nameStart;
		this.#slots[at + 4] = nameEnd;
		if (isSure) this.count++;
		else this.wordCount++;
	}

	/**
	 * Keeps at most as many CVVs as the card has numbers. If any name clearly says CVV, only the values under such names
	 * are kept. If these are still too many, values not written like a CVV are dropped first, and then stars.
	 * @throws FileError if there are too many even then, because a finding has only one CVV, so another one would stay in
	 * clear
	 */
	choose(bytes: Buffer, numbers: number, at: { line: number; record: number }): void {
		if (this.count > 0 && this.wordCount > 0) this.#keep((slot) => (this.#slots[slot + 2] & SURE) !== 0);
		if (this.#length > numbers) this.#keep((slot) => this.#isCode(bytes, slot, true));
		if (this.#length > numbers) this.#keep((slot) => this.#isCode(bytes, slot, false));
		this.isUndecided = this.#length > numbers && this.count === 0;
		if (this.isUndecided) return;
		if (this.#length > numbers) {
			const offset = this.#slots[(this.#length - 1) * SLOTS];
			throw new FileError('a card has more CVVs than numbers', { offset, line: at.line, record: at.record });
		}
		this.count = this.#length;
	}

	/** Tells whether there is exactly one CVV. If a name clearly says CVV, only values under such names count. */
	isOne(): boolean {
		if (this.count > 0 && this.wordCount > 0) this.#keep((slot) => (this.#slots[slot + 2] & SURE) !== 0);
		return this.#length === 1;
	}

	/** Moves the CVVs of an object inside a card's object to that card. */
	moveTo(other: HeldCvvs): void {
		for (let i = 0; i < this.#length; i++) {
			const [start, end, marks, nameStart, nameEnd] = this.#slots.slice(i * SLOTS, (i + 1) * SLOTS);
			const isSure = (marks & SURE) !== 0;
			other.add(start, end, (marks & BARE) !== 0, (marks & ESCAPED) !== 0, isSure, nameStart, nameEnd);
		}
		this.clear();
	}

	#keep(isKept: (slot: number) => boolean): void {
		let length = 0;
		for (let i = 0; i < this.#length; i++) {
			if (!isKept(i * SLOTS)) continue;
			for (let k = 0; k < SLOTS; k++) this.#slots[length * SLOTS + k] = this.#slots[i * SLOTS + k];
			length++;
		}
		this.#length = length;
	}

	/**
	 * Tells whether a value is written like a CVV, or, with `withStars`, has been replaced by stars. A value with escapes
	 * always passes, because it may be a CVV.
	 */
	#isCode(bytes: Buffer, slot: number, withStars: boolean): boolean {
		if ((this.#slots[slot + 2] & ESCAPED) !== 0) return true;
		const reading = this.#read(bytes, slot);
		return isClear(reading) || (withStars && reading === 'starred');
	}

	/** Gives a CVV to a card. A placeholder is none, so it leaves the card free for the CVV of an object around it. */
	give(bytes: Buffer, finding: Finding, index: number): void {
		const slot = index * SLOTS;
		if ((this.#slots[slot + 2] & ESCAPED) === 0 && this.#read(bytes, slot) === 'absent') return;
		finding.cvvStart = this.#slots[slot];
		finding.cvvEnd = this.#slots[slot + 1];
		finding.isCvvBare = (this.#slots[slot + 2] & BARE) !== 0;
		if ((this.#slots[slot + 2] & ESCAPED) !== 0) finding.isEscaped = true;
	}

	/** Calls `tell` with the name of every CVV in clear that belongs to no number. */
	eachInClear(bytes: Buffer, tell: (nameStart: number, nameEnd: number) => void): void {
		for (let i = 0; i < this.#length; i++) {
			const slot = i * SLOTS;
			const marks = this.#slots[slot + 2];
			if ((marks & ESCAPED) !== 0 || isClear(this.#read(bytes, slot)))
				tell(this.#slots[slot + 3], this.#slots[slot + 4]);
		}
	}

	#read(bytes: Buffer, slot: number): CvvReading {
		return readCvv(bytes, this.#slots[slot], this.#slots[slot + 1], 'lenient');
	}
}

const isClear = (reading: CvvReading) => reading === 'readable' || reading === 'short';

/** A single digit inside the field of a CVV may say whether there is one, but two digits are a CVV without its zero. */
export const LEAST_INSIDE = 2;

/**
 * Tells whether a value under a name that is not clearly that of a CVV is written like one: at least three digits, unless
 * `least` says otherwise, and at most four, or the stars that replace them.
 */
export function isWrittenAsCvv(bytes: Uint8Array, start: number, end: number, least = 3): boolean {
	if (end - start < least || end - start > 4) return false;
	for (let i = start; i < end; i++) if (bytes[i] !== 0x2a) return areDigits(bytes, start, end);
	return true;
}
