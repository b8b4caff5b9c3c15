import { DigitReader, UNIT } from './digit-text.ts';

/** What the bytes at a card number's place turned out to be. */
export type NumberKind =
	/** Nothing, or blanks: no card. */
	| 'empty'
	/** Masked by whoever wrote the file (X, x, *, # or a run of dots): left alone. */
	| 'masked'
	/** 32 hexadecimal characters: a token already, or a hash; left alone when tokenizing. */
	| 'token'
	/** `4.11111E+15`: a spreadsheet dropped digits, there is no number left to tokenize. */
	| 'spreadsheet'
	/** Something to judge: digits, perhaps grouped by single blanks or hyphens, perhaps nonsense. */
	| 'digits';

/** Longest run of digits worth keeping: one more than the longest card number (spec §2.4). */
const MAX_KEPT_DIGITS = 23;

/**
 * One reading of a card number's bytes. Made once and reused: a file of a million cards
 * makes no object per card. `digits` holds clear digits, so the owner calls `clear()` when done.
 */
export class NumberReading {
	kind: NumberKind = 'empty';
	/** ASCII digits without grouping; only the first `count` bytes mean anything. */
	readonly digits = Buffer.alloc(MAX_KEPT_DIGITS);
	/** How many digits; stops counting at 23, which is too long in any case. */
	count = 0;
	/** True when single blanks or hyphens stood between digits, so the spelling must be kept too. */
	isGrouped = false;
	/** True when there was anything but digits and grouping. */
	hasOtherCharacters = false;
	readonly #reader = new DigitReader();

	/** Reads `bytes[start, end)` (ASCII-compatible, already freed of escapes, quotes and blanks around). */
	read(bytes: Uint8Array, start: number, end: number): this {
		this.count = 0;
		this.isGrouped = false;
		this.hasOtherCharacters = false;
		let previousWasDigit = false;
		for (let i = start; i < end; i++) {
			const byte = bytes[i];
			if (byte >= 0x30 && byte <= 0x39) {
				if (this.count < MAX_KEPT_DIGITS) this.digits[this.count++] = byte;
				previousWasDigit = true;
			} else if ((byte === 0x20 || byte === 0x2d) && previousWasDigit && i + 1 < end) {
				this.isGrouped = true;
				previousWasDigit = false;
			} else {
				this.hasOtherCharacters = true;
				previousWasDigit = false;
			}
		}
		this.kind =
			!this.hasOtherCharacters && this.count > 0 && end - start !== 32 ? 'digits' : kindOfOddity(bytes, start, end);
		return this;
	}

	/** Reads digits of any script, grouped in any way: `bytes[start, end)` is known to hold a number and nothing else. */
	readSpelled(bytes: Uint8Array, start: number, end: number): this {
		this.count = 0;
		this.hasOtherCharacters = false;
		for (let at = start; at < end; at += this.#reader.width) {
			if (this.#reader.read(bytes, at, end) === UNIT.DIGIT && this.count < MAX_KEPT_DIGITS) {
				this.digits[this.count++] = this.#reader.digit;
			}
		}
		this.isGrouped = this.count < end - start;
		this.kind = 'digits';
		return this;
	}

	/** Wipes the digits. */
	clear(): void {
		this.digits.fill(0);
		this.count = 0;
		this.kind = 'empty';
	}
}

function kindOfOddity(bytes: Uint8Array, start: number, end: number): NumberKind {
	if (end - start === 32 && isHex(bytes, start, end)) return 'token';
	let visible = 0;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (byte === 0x58 || byte === 0x78 || byte === 0x2a || byte === 0x23) return 'masked';
		if (byte === 0x2e && bytes[i + 1] === 0x2e && i + 1 < end) return 'masked';
		if (byte > 0x20) visible++;
	}
	if (visible === 0) return 'empty';
	return isSpreadsheetNotation(bytes, start, end) ? 'spreadsheet' : 'digits';
}

/** Whether every byte of `bytes[start, end)` is a hexadecimal digit, in either case. */
function isHex(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (!isHexDigit(bytes[i])) return false;
	return true;
}

/** Whether an ASCII byte is a hexadecimal digit, in either case. */
export function isHexDigit(byte: number): boolean {
	return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function isSpreadsheetNotation(bytes: Uint8Array, start: number, end: number): boolean {
	return /^\d([.,]\d+)?E\+?\d{1,3}$/i.test(
		Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'),
	);
}
