// Reads digits, and the separators between groups of a number, in ASCII, Latin-1 and UTF-8. People type numbers with
// keyboards of any script, and word processors put non-breaking blanks between the groups.

/** The role of a byte in a number. `HIGH` is any byte above ASCII, because its role depends on the bytes next to it. */
export const BYTE = { OTHER: 0, DIGIT: 1, SEPARATOR: 2, HIGH: 3 } as const;

/** Maps every byte to its role, which is one of `BYTE`. */
export const BYTE_CLASS = new Uint8Array(256);
BYTE_CLASS.fill(BYTE.HIGH, 0x80);
BYTE_CLASS.fill(BYTE.DIGIT, 0x30, 0x3a);
for (const separator of Buffer.from(' -.')) BYTE_CLASS[separator] = BYTE.SEPARATOR;

/**
 * Matches the separators above ASCII: blanks of every width, line ends, hyphens and dashes, what nobody sees (soft hyphens,
 * marks of the direction of writing), and the full-width point.
 */
const WIDE_SEPARATOR = /[\p{Zs}\p{Zl}\p{Zp}\p{Cf}\p{Pd}\p{Variation_Selector}\x85\uff0e]/u;

const NBSP = 0xa0;
/**
 * Tells whether a byte is a non-breaking blank or a long hyphen in Windows-1252. No UTF-8 character begins with such a
 * byte.
 */
const isLatinSeparator = (byte: number) => byte === NBSP || byte === 0x96 || byte === 0x97;
const SEPARATOR_CODE = 100;

/**
 * Contains every digit and separator above ASCII. Its UTF-8 bytes, read as one number, are mapped to the value of the
 * digit (0 to 9), or to `SEPARATOR_CODE`. One map is enough, because Unicode has only some 700 decimal digits.
 */
const WIDE_UNITS = new Map<number, number>();
/** Holds 1 for bytes that begin a digit or separator above ASCII. */
const WIDE_LEADS = new Uint8Array(256);

function addWideUnit(character: string, code: number): void {
	const bytes = Buffer.from(character);
	WIDE_UNITS.set(
		bytes.reduce((key, byte) => key * 256 + byte, 0),
		code,
	);
	WIDE_LEADS[bytes[0]] = 1;
}

const isDecimal = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

// The digits of all scripts of Unicode. Those of a script come in order, from 0 to 9, so there are none in ten characters
// of which the last is no digit.
for (let code = 0x80; code <= 0x1fbff; ) {
	// Large blocks of characters without digits are skipped: CJK, Hangul, private use.
	if (code >= 0x3000 && code < 0xa000) code = 0xa000;
	else if (code >= 0xac00 && code < 0xf900) code = 0xf900;
	if (!isDecimal(code + 9)) code += 10;
	else if (!isDecimal(code)) code++;
	else for (let value = 0; value < 10; value++) addWideUnit(String.fromCodePoint(code++), value);
}
// No separator stands in the large blocks either.
for (let code = 0x80; code < 0x10000; code++) {
	if (code === 0x3100 || code === 0xac00) code = code === 0x3100 ? 0xa000 : 0xf900;
	const character = String.fromCharCode(code);
	if (WIDE_SEPARATOR.test(character)) addWideUnit(character, SEPARATOR_CODE);
}

/** What `DigitReader` has found: a digit, a separator, or neither. */
export const UNIT = { NONE: 0, DIGIT: 1, SEPARATOR: 2 } as const;
type Unit = (typeof UNIT)[keyof typeof UNIT];

/**
 * Reads one digit or one separator at a time, forwards or backwards. Its fields describe the one that was read last.
 */
export class DigitReader {
	/** The length in bytes of the digit or separator that was read last. */
	width = 0;
	/** The digit that was read last, as its ASCII byte. */
	digit = 0;

	/** Reads the digit or separator that begins at `at`. */
	read(bytes: Uint8Array, at: number, end: number): Unit {
		const byte = bytes[at];
		this.width = 1;
		if (byte < 0x80) return this.#ascii(byte);
		const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
		const unit = length > 1 && WIDE_LEADS[byte] === 1 && at + length <= end ? this.#wide(bytes, at, length) : UNIT.NONE;
		if (unit !== UNIT.NONE) return unit;
		// This byte may be a separator in Windows-1252. It is not part of a UTF-8 letter, because then the reader would
		// have begun at the letter's first byte.
		this.width = 1;
		return isLatinSeparator(byte) ? UNIT.SEPARATOR : UNIT.NONE;
	}

	/** Reads the digit or separator that ends before `at`. */
	readBefore(bytes: Uint8Array, at: number, start: number): Unit {
		if (at <= start) return UNIT.NONE;
		const byte = bytes[at - 1];
		this.width = 1;
		if (byte < 0x80) return this.#ascii(byte);
		for (let length = 2; length <= 4 && at - length >= start; length++) {
			const lead = bytes[at - length];
			if (lead < 0xc2) continue;
			const isWhole = (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2) === length;
			const unit = isWhole && WIDE_LEADS[lead] === 1 ? this.#wide(bytes, at - length, length) : UNIT.NONE;
			if (unit !== UNIT.NONE || isWhole) return unit;
			break;
		}
		this.width = 1;
		return isLatinSeparator(byte) ? UNIT.SEPARATOR : UNIT.NONE;
	}

	#ascii(byte: number): Unit {
		const kind = BYTE_CLASS[byte];
		if (kind === BYTE.DIGIT) this.digit = byte;
		return kind === BYTE.DIGIT ? UNIT.DIGIT : kind === BYTE.SEPARATOR ? UNIT.SEPARATOR : UNIT.NONE;
	}

	#wide(bytes: Uint8Array, at: number, length: number): Unit {
		let key = 0;
		for (let i = at; i < at + length; i++) key = key * 256 + bytes[i];
		const code = WIDE_UNITS.get(key);
		if (code === undefined) return UNIT.NONE;
		this.width = length;
		if (code === SEPARATOR_CODE) return UNIT.SEPARATOR;
		this.digit = 0x30 + code;
		return UNIT.DIGIT;
	}
}
