import { areDigits, areHexDigits, isDigit, isLetter, latin1 } from './ascii.ts';
import { brandOf } from './brand.ts';
import { passesLuhn } from './luhn.ts';
import { blankWidth, dashWidth } from './spelling/blanks.ts';
import { DigitReader, UNIT } from './spelling/digit-text.ts';
import { MIN_DIGITS_BEHIND_POINT } from './spelling/printed-groups.ts';

/** The kinds of content of a card number's field. */
export type NumberKind =
	/** The field is empty or blank: there is no card. */
	| 'empty'
	/** The sender has masked the number (X, x, *, # or a run of dots), so it is left alone. */
	| 'masked'
	/** The field has 32 hexadecimal characters, which are a token or a hash. Tokenizing leaves them alone. */
	| 'token'
	/** A spreadsheet has written `4.11111E+15` and dropped digits, so no number is left to tokenize. */
	| 'spreadsheet'
	/** The field has something to check: digits, perhaps grouped by blanks, hyphens or points, perhaps nonsense. */
	| 'digits';

/** The number of characters of a token, which may be in the field instead of a number. */
export const TOKEN_LENGTH = 32;
/** At most this many digits are kept: one more than the longest card number has (spec §2.4). */
const MAX_KEPT_DIGITS = 23;
/** A card number has at least this many digits. */
const FEWEST_CARD_DIGITS = 12;
/** Programs write numbers of up to this many digits exactly in spreadsheet notation. */
const MAX_EXACT_DIGITS = 16;

/**
 * One reading of a card number's bytes. The object is reused, so that a file of a million cards does not create a
 * million objects. `digits` holds clear digits, so the owner calls `clear()` when done.
 */
export class NumberReading {
	kind: NumberKind = 'empty';
	/** The ASCII digits without grouping; only the first `count` bytes are valid. */
	readonly digits = Buffer.alloc(MAX_KEPT_DIGITS);
	/** The number of digits. Counting stops at 23, which is too long in any case. */
	count = 0;
	/** True if there were separators or digits of another script, so that the spelling must be kept too. */
	isGrouped = false;
	/** True if there were characters other than digits and separators. */
	hasOtherCharacters = false;
	readonly #reader = new DigitReader();

	/** Reads `bytes[start, end)`, which is ASCII-compatible and has no escapes, quotes or surrounding blanks. */
	read(bytes: Uint8Array, start: number, end: number): this {
		const { digits } = this;
		let first = start;
		// Most numbers are nothing but digits.
		for (; first < end && isDigit(bytes[first]) && first - start < MAX_KEPT_DIGITS; first++) {
			digits[first - start] = bytes[first];
		}
		this.count = first - start;
		this.isGrouped = false;
		this.hasOtherCharacters = false;
		for (let i = first; i < end; i++) {
			const byte = bytes[i];
			if (isDigit(byte)) {
				if (this.count < MAX_KEPT_DIGITS) digits[this.count++] = byte;
				continue;
			}
			if (byte >= 0x80 && this.#reader.read(bytes, i, end) === UNIT.DIGIT) {
				if (this.count < MAX_KEPT_DIGITS) digits[this.count++] = this.#reader.digit;
				this.isGrouped = true;
				i += this.#reader.width - 1;
				continue;
			}
			const width = i > start ? gapWidth(bytes, i, end) : 0;
			if (width > 0) {
				this.isGrouped = true;
				i += width - 1;
			} else this.hasOtherCharacters = true;
		}
		this.kind =
			!this.hasOtherCharacters && this.count > 0 && end - start !== TOKEN_LENGTH
				? 'digits'
				: kindOfOddity(bytes, start, end);
		if (this.kind === 'spreadsheet') this.#readNotation(bytes, start, end);
		return this;
	}

	/** Reads `4.111111111111111E15`, in which all digits are left. The spelling must be kept. */
	#readNotation(bytes: Uint8Array, start: number, end: number): void {
		const [, first, rest = '', exponent] = NOTATION.exec(latin1(bytes, start, end))!;
		const count = first.length + rest.length;
		if (count !== Number(exponent) + 1 || count > MAX_EXACT_DIGITS || count < FEWEST_CARD_DIGITS) return;
		this.count = this.digits.write(first + rest);
		this.isGrouped = true;
		this.hasOtherCharacters = false;
		this.kind = 'digits';
	}

	/**
	 * Reads digits of any script, grouped in any way. `bytes[start, end)` is known to contain one number and nothing
	 * else.
	 */
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

	clear(): void {
		this.digits.fill(0);
		this.count = 0;
		this.kind = 'empty';
	}
}

/**
 * Reads the digits and separators above ASCII. One reader serves all callers, because reading a number is never
 * interrupted by another call.
 */
const wide = new DigitReader();
/** Digits with more bytes than this between them belong to two different numbers. */
const MAX_GAP_BYTES = 8;

/**
 * Returns the width of the separator between two groups of digits at `at`: blanks of any kind, with at most one hyphen,
 * dash or point. Returns 0 if no digit follows or there are other characters.
 */
function gapWidth(bytes: Uint8Array, at: number, end: number): number {
	let signs = 0;
	let isPoint = false;
	for (let i = at; i < end && i - at <= MAX_GAP_BYTES; ) {
		const byte = bytes[i];
		if (byte >= 0x80 && wide.read(bytes, i, end) === UNIT.DIGIT) return i - at;
		if (isDigit(byte)) {
			const after = i + MIN_DIGITS_BEHIND_POINT;
			return isPoint && (after > end || !areDigits(bytes, i, after)) ? 0 : i - at;
		}
		const blank = blankWidth(bytes, i, end);
		const sign = blank > 0 ? 0 : byte === 0x2e ? 1 : dashWidth(bytes, i, end);
		if (blank + sign === 0 || (sign > 0 && ++signs > 1)) return 0;
		if (byte === 0x2e) isPoint = true;
		i += blank + sign;
	}
	return 0;
}

function kindOfOddity(bytes: Uint8Array, start: number, end: number): NumberKind {
	if (end - start === TOKEN_LENGTH && areHexDigits(bytes, start, end)) return 'token';
	let visible = 0;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		const isDots = byte === 0x2e && i + 1 < end && bytes[i + 1] === 0x2e;
		if (isDots || (isMask(byte) && isMaskAt(bytes, i, start, end)))
			return showsCard(bytes, start, end) ? 'digits' : 'masked';
		if (byte > 0x20) visible++;
	}
	if (visible === 0) return 'empty';
	return NOTATION.test(latin1(bytes, start, end)) ? 'spreadsheet' : 'digits';
}

/**
 * Returns where the number `bytes[start, end)` ends without a fraction of one or two zeros, which programs add to whole
 * numbers: `4111….0`, and in many countries `4111…,00`.
 */
export function endOfWhole(bytes: Uint8Array, start: number, end: number): number {
	let at = end;
	while (at > start && end - at < 2 && bytes[at - 1] === 0x30) at--;
	const isPoint = bytes[at - 1] === 0x2e || bytes[at - 1] === 0x2c;
	return at < end && at - 2 >= start && isPoint ? at - 1 : end;
}

/** Tells whether a byte is a mask character: X, x, `*` or `#`. */
export function isMask(byte: number): boolean {
	return byte === 0x58 || byte === 0x78 || byte === 0x2a || byte === 0x23;
}

/** This many mask characters in a row always hide digits, no matter what is next to them: `VIXXXXXXXXXXXX1111`. */
const CERTAIN_MASK = 4;

const shown = Buffer.alloc(MAX_KEPT_DIGITS);

/**
 * Tells whether the mask characters of a value hide nothing, because the digits between them are a whole card number
 * (`4111*1111*1111*1111`). Digits on both sides of a run that certainly hides some are not joined. If no two mask characters are
 * beside each other, the check digit may be wrong, as in a mistyped number with a sign before it (`#4111…`).
 */
function showsCard(bytes: Uint8Array, start: number, end: number): boolean {
	let isCard = false;
	let count = 0;
	let masks = 0;
	let isSingle = true;
	for (let i = start; i <= end && !isCard; i++) {
		const byte = i < end ? bytes[i] : 0;
		masks = isMask(byte) || byte === 0x2e ? masks + 1 : 0;
		isSingle &&= masks < 2;
		if (isDigit(byte) && count < MAX_KEPT_DIGITS) shown[count++] = byte;
		if (i < end && masks < CERTAIN_MASK) continue;
		const isWhole = count >= FEWEST_CARD_DIGITS && brandOf(shown, 0, count) > 0;
		isCard = isWhole && ((isSingle && count > FEWEST_CARD_DIGITS) || passesLuhn(shown, 0, count));
		count = 0;
	}
	shown.fill(0);
	return isCard;
}

/**
 * Tells whether the mask characters from `at` on hide digits. The x of a word does not, as in `378282246310005
 * (American Express)`.
 */
function isMaskAt(bytes: Uint8Array, at: number, start: number, end: number): boolean {
	if (bytes[at] === 0x2a || bytes[at] === 0x23) return true;
	let after = at;
	while (after < end && isMask(bytes[after])) after++;
	if (after - at >= CERTAIN_MASK) return true;
	return !(at > start && isLetter(bytes[at - 1])) && !(after < end && isLetter(bytes[after]));
}

/** Matches the notation in which spreadsheets write long numbers: its digits and its exponent. */
const NOTATION = /^(\d)(?:[.,](\d+))?E\+?(\d{1,3})$/i;
