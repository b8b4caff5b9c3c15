import { areDigits } from '../../src/base/card/ascii.ts';
import { type CvvReading, readCvv } from '../../src/base/card/cvv.ts';
import { EXPIRY_UNREADABLE, type ExpiryFormat, readExpiryWithCode } from '../../src/base/card/expiry.ts';
import { FileError, type Finding } from '../../src/engine/format.ts';
import { type HeldValue, HeldValues } from './held-value.ts';

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
	/** Lists values that are written like a CVV under an unknown name. */
	readonly suspects = new HeldValues();
	readonly #values = new HeldValues();

	clear(): void {
		this.count = 0;
		this.wordCount = 0;
		this.isUndecided = false;
		this.suspects.length = 0;
		this.#values.length = 0;
	}

	/** Notes a value of three or four digits under an unknown name. */
	suspect(value: HeldValue): void {
		if (this.suspects.length < MAX_SUSPECTS) this.suspects.add(value);
	}

	add(value: HeldValue, isSure: boolean): void {
		this.#values.add(value, isSure);
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
		const values = this.#values;
		this.#preferSure();
		if (values.length > numbers) values.keep((value) => isCode(bytes, value, true));
		if (values.length > numbers) values.keep((value) => isCode(bytes, value, false));
		this.isUndecided = values.length > numbers && this.count === 0;
		if (this.isUndecided) return;
		if (values.length > numbers) {
			const offset = values.items[values.length - 1].start;
			const place = { offset, line: at.line, record: at.record };
			throw new FileError('a card has more CVVs than numbers', place, { code: 'cvv-without-card' });
		}
		this.count = values.length;
	}

	/** Tells whether there is exactly one CVV. If a name clearly says CVV, only values under such names count. */
	isOne(): boolean {
		this.#preferSure();
		return this.#values.length === 1;
	}

	/** Moves the CVVs of an object inside a card's object to that card. */
	moveTo(other: HeldCvvs): void {
		const { items, length } = this.#values;
		for (let i = 0; i < length; i++) other.add(items[i], items[i].isSure);
		this.clear();
	}

	#preferSure(): void {
		if (this.count > 0 && this.wordCount > 0) this.#values.keep(({ isSure }) => isSure);
	}

	/** Gives a CVV to a card. A placeholder is none, so it leaves the card free for the CVV of an object around it. */
	give(bytes: Buffer, finding: Finding, index: number): void {
		const value = this.#values.items[index];
		if (!value.isEscaped && read(bytes, value) === 'absent') return;
		finding.cvvStart = value.start;
		finding.cvvEnd = value.end;
		finding.isCvvBare = value.isBare;
		if (value.isEscaped) finding.isEscaped = true;
	}

	/** Calls `tell` with every CVV in clear that belongs to no number. */
	eachInClear(bytes: Buffer, tell: (value: HeldValue) => void): void {
		const { items, length } = this.#values;
		for (let i = 0; i < length; i++) if (isCode(bytes, items[i], false)) tell(items[i]);
	}
}

function read(bytes: Buffer, { start, end }: HeldValue): CvvReading {
	return readCvv(bytes, start, end, 'lenient');
}

/**
 * Tells whether a value is written like a CVV, or, with `withStars`, has been replaced by stars. A value with escapes
 * always passes, because it may be a CVV.
 */
function isCode(bytes: Buffer, value: HeldValue, withStars: boolean): boolean {
	if (value.isEscaped) return true;
	const reading = read(bytes, value);
	return reading === 'readable' || reading === 'short' || (withStars && reading === 'starred');
}

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

/** Gives a card without a CVV the expiry and the code that its field for an expiry, `bytes[start, end)`, has both: `12/29 123`. */
export function takeCodeOfExpiry(
	bytes: Buffer,
	start: number,
	end: number,
	finding: Finding,
	format: ExpiryFormat | undefined,
): void {
	if (finding.expiry !== EXPIRY_UNREADABLE || finding.cvvEnd > finding.cvvStart) return;
	const expiry = readExpiryWithCode(bytes, start, end, format);
	if (expiry === EXPIRY_UNREADABLE) return;
	finding.expiry = expiry;
	finding.cvvStart = end - 3;
	finding.cvvEnd = end;
	finding.isCvvBare = false;
}
