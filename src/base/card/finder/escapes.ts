// Reads the escapes of characters, so that a number is found even if a file writes its digits as `\u0034111…` in JSON
// or `&#52;111…` in XML, or the blanks between them as `\u00a0` or `&#160;`. People also paste pieces of web pages and
// addresses into any text, so references such as `&nbsp;`, line breaks such as `<br>`, blanks and signs such as `%20` and `%22`,
// and line ends and blanks that are written out (`\n`, `\\n`, `\\u00a0`) are undone in every format.

import { hexValue, isTextAt, tableOf } from '../ascii.ts';
import { BREAK_TEXT, CUT_BREAK_TEXT, WRITTEN_BREAK_TEXT } from '../spelling/pasted-blanks.ts';

/** The notation in which a file may write a character as its code: `\u0034` in JSON, `&#52;` in markup. */
export type EscapeStyle = 'json' | 'markup';

const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const PERCENT = 0x25;
const SEMICOLON = 0x3b;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const BLANK = 0x20;
const SLASH = 0x2f;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const LETTER_E = 0x65;
const NO_BREAK_SPACE = 0xa0;
/** A reference may begin with any number of zeros, but one that has more bytes than this is left as it is. */
const LONGEST_REFERENCE = 40;
const UNICODE_ESCAPE = 6;
const LAST_CHARACTER = 0x10ffff;
/** The named characters of HTML that may divide groups of digits, with their codes. */
const NAMED = new Map(
	Object.entries({
		nbsp: 0xa0,
		// Hosts write everything in capitals.
		NBSP: 0xa0,
		ensp: 0x2002,
		emsp: 0x2003,
		thinsp: 0x2009,
		shy: 0xad,
		ndash: 0x2013,
		mdash: 0x2014,
		zwnj: 0x200c,
		zwj: 0x200d,
		ZeroWidthSpace: 0x200b,
		NoBreak: 0x2060,
		numsp: 0x2007,
		hairsp: 0x200a,
		Tab: TAB,
		NewLine: TAB,
		hyphen: 0x2010,
		dash: 0x2010,
		period: 0x2e,
	}),
);
/**
 * Matches a reference, or a line break of HTML. HTML inside XML has `&amp;` in place of its ampersands, and HTML inside JSON may have `\u0026`.
 */
const REFERENCE_TEXT = `(?:(?:&|\\\\u0026)(?:amp;)*(?:#(\\d+)|#[xX]([\\dA-Fa-f]+)|(${[...NAMED.keys()].join('|')}));|${BREAK_TEXT})`;
const REFERENCE = new RegExp(`^${REFERENCE_TEXT}`);
const REFERENCE_BEFORE = new RegExp(`${REFERENCE_TEXT}$`);
/**
 * Matches a sign or blank in an address of the web; above ASCII it has two or three bytes of UTF-8, as in `%C2%A0`. A percent
 * sign before a number of Mastercard that begins with 22 to 27 is none.
 */
const IN_ADDRESS =
	/^%(?:A0|0[9AD]|2(?:[\dA-F](?<![2-7])|[2-7](?!(?:\d\d|(?!3[0689])\d{14})(?!\d)))|C2%[89AB][\dA-F]|E[1-3F](?:%[89AB][\dA-F]){2})/i;
const LONGEST_IN_ADDRESS = 18;
const WRITTEN_BREAK = new RegExp(`^${WRITTEN_BREAK_TEXT}`);
const WRITTEN_BREAK_BEFORE = new RegExp(`${WRITTEN_BREAK_TEXT}$`);
const LONGEST_WRITTEN_BREAK = 18;
/** Matches the beginning of one of these at the end of a text. */
const CUT = new RegExp(
	`(?:(?:&|\\\\u0026)[\\w#;]*|%(?:[\\dA-F]|C2(?:%[\\dA-F]?)?|E[1-3F](?:%(?:[\\dA-F]|[89AB][\\dA-F](?:%[\\dA-F]?)?)?)?)?|\\\\{1,8}(?:u[\\dA-F]{0,3}|xa?)?|${CUT_BREAK_TEXT})$`,
	'i',
);

/** Reads one escape of a character at a time. Its fields describe the escape that was read last. */
export class EscapeReader {
	/** The length in bytes of the escape. */
	width = 0;
	/**
	 * The code of the character that the escape stands for. Line breaks count as tabs, because they divide the groups of
	 * a number in the same way; one half of a surrogate pair counts as U+FFFD.
	 */
	code = 0;
	readonly #isJson: boolean;
	readonly #isMarkup: boolean;

	constructor(style: EscapeStyle | undefined) {
		this.#isJson = style === 'json';
		this.#isMarkup = style === 'markup';
	}

	/** Reads the escape that begins at `at`; returns false if there is none. */
	read(bytes: Buffer, at: number, end: number): boolean {
		const byte = bytes[at];
		if (byte === PERCENT) {
			return this.#take(IN_ADDRESS.exec(bytes.toString('latin1', at, Math.min(end, at + LONGEST_IN_ADDRESS))));
		}
		const isReference =
			byte === AMPERSAND ||
			byte === LESS_THAN ||
			(this.#isJson && byte === BACKSLASH && (bytes[at + 4] === 0x32 || bytes[at + 4] === 0x33));
		if (isReference && this.#takeReference(bytes, at, end, REFERENCE)) return true;
		if (byte !== BACKSLASH) return false;
		return this.#takeWrittenBreak(bytes, at, end, WRITTEN_BREAK) || (this.#isJson && this.#readJson(bytes, at, end));
	}

	/** Reads the escape that ends before `at`; returns false if there is none. */
	readBefore(bytes: Buffer, at: number, start: number): boolean {
		if (at <= start) return false;
		if (bytes[at - 1] === SEMICOLON || bytes[at - 1] === GREATER_THAN) {
			return this.#takeReference(bytes, Math.max(start, at - LONGEST_REFERENCE), at, REFERENCE_BEFORE);
		}
		const written = Math.max(start, at - LONGEST_WRITTEN_BREAK);
		const mayBeWritten = bytes[at - 2] === BACKSLASH || bytes[at - 5] === LETTER_U || bytes[at - 3] === LETTER_X;
		if (mayBeWritten && this.#takeWrittenBreak(bytes, written, at, WRITTEN_BREAK_BEFORE)) return true;
		if (this.#isJson) {
			if ((bytes[at - 1] | 0x20) === LETTER_E && bytes[at - UNICODE_ESCAPE] === BACKSLASH) {
				if (this.#takeReference(bytes, Math.max(start, at - LONGEST_REFERENCE), at, REFERENCE_BEFORE)) return true;
			}
			for (const width of [UNICODE_ESCAPE, 2]) {
				const first = at - width;
				if (first < start || bytes[first] !== BACKSLASH || isEscaped(bytes, first, start)) continue;
				if (this.read(bytes, first, at) && this.width === width) return true;
			}
		}
		if (at - 3 < start || bytes[at - 3] !== PERCENT) return false;
		return [9, 6, 3].some((width) => at - width >= start && this.read(bytes, at - width, at) && this.width === width);
	}

	/** Returns the start of an escape that may continue after `end`, or `end` if there is none. */
	cutBefore(bytes: Buffer, start: number, end: number): number {
		const least = Math.max(start, end - LONGEST_REFERENCE + 1);
		const cut = CUT.exec(bytes.toString('latin1', least, end));
		if (cut !== null) return least + cut.index;
		if (!this.#isJson) return end;
		const from = Math.max(start, end - UNICODE_ESCAPE + 1);
		const last = bytes.subarray(from, end).lastIndexOf(BACKSLASH);
		const first = from + last;
		if (last === -1 || isEscaped(bytes, first, start)) return end;
		return first + 1 === end || bytes[first + 1] === LETTER_U ? first : end;
	}

	#takeReference(bytes: Buffer, start: number, end: number, pattern: RegExp): boolean {
		return this.#take(pattern.exec(bytes.toString('latin1', start, Math.min(end, start + LONGEST_REFERENCE))));
	}

	#takeWrittenBreak(bytes: Buffer, start: number, end: number, pattern: RegExp): boolean {
		const match = pattern.exec(bytes.toString('latin1', start, Math.min(end, start + LONGEST_WRITTEN_BREAK)));
		this.width = match?.[0].length ?? 0;
		// A line end or tab is a letter or a code below 0x10, a blank another code.
		this.code = match !== null && /[ux](?!000)/.test(match[0]) ? NO_BREAK_SPACE : TAB;
		return match !== null;
	}

	/** Takes the width and the code of an escape from a match, whose groups are a decimal, a hexadecimal and a named one. */
	#take(match: RegExpExecArray | null): boolean {
		if (match === null) return false;
		const [text, decimal, hexadecimal, name] = match;
		this.width = text.length;
		if (text.startsWith('%')) this.code = codeInAddress(text);
		else if (name !== undefined) this.code = NAMED.get(name)!;
		else if (decimal ?? hexadecimal)
			this.code = Number.parseInt(decimal ?? hexadecimal, decimal === undefined ? 16 : 10);
		else {
			// An element of XML that does not end at once has an end tag, which must stay with it.
			this.code = BLANK;
			return !(this.#isMarkup && text.startsWith('<') && !text.endsWith('/>'));
		}
		if (this.code === LF || this.code === CR) this.code = TAB;
		const { code } = this;
		return code > 0 && code <= LAST_CHARACTER && !(code >= 0xd800 && code <= 0xdfff);
	}

	#readJson(bytes: Buffer, at: number, end: number): boolean {
		if (at + 1 >= end || bytes[at] !== BACKSLASH) return false;
		if (bytes[at + 1] === LETTER_U) {
			const code = readUnicodeEscape(bytes, at, end);
			this.width = code > 0xffff ? 2 * UNICODE_ESCAPE : UNICODE_ESCAPE;
			this.code = code === LF || code === CR ? TAB : code;
			return code !== -1;
		}
		this.width = 2;
		this.code = SHORT_ESCAPES[bytes[at + 1]];
		return this.code !== 0;
	}
}

/** Holds the characters of the JSON escapes of two bytes that matter in a number. */
const SHORT_ESCAPES = new Uint8Array(256);
for (const [letter, code] of Object.entries({ n: TAB, r: TAB, t: TAB, '/': SLASH }))
	SHORT_ESCAPES[letter.charCodeAt(0)] = code;
/** Holds 1 for the bytes with which a reference goes on behind its ampersand, and a blank of an address behind its `%`. */
const AFTER_AMPERSAND = tableOf(['#', ...NAMED.keys()].map((name) => name[0]).join(''));
/** What stands behind an ampersand in a line break of HTML, and how such a break begins. */
const ESCAPED_BREAKS = ['lt;br', 'lt;BR', 'lt;wbr'].map((text) => Buffer.from(text));
const BREAKS = ['<br', '<BR', '<wbr'].map((text) => Buffer.from(text));
/** What stands behind an ampersand that is itself escaped. */
const ESCAPED = Buffer.from('amp;');
/** Holds 1 for the first digits of the codes of blanks. */
const UNICODE_FIRST = tableOf('023fF');
const AFTER_PERCENT = tableOf('02ACEace');

/**
 * Finds the bytes of a window at which an escape may begin. The positions are asked for in ascending order, and each kind
 * of mark is searched for again only when the one found last is behind, so a window is searched once.
 */
export class EscapeMarks {
	readonly #isJson: boolean;
	readonly #isMarkup: boolean;
	#bytes: Buffer = Buffer.alloc(0);
	#end = 0;
	/** The positions of the next `&`, `%`, backslash and `<br` that may begin an escape, or the end if there is none. */
	#ampersand = 0;
	#break = 0;
	#percent = 0;
	#backslash = 0;

	constructor(style: EscapeStyle | undefined) {
		this.#isJson = style === 'json';
		this.#isMarkup = style === 'markup';
	}

	begin(bytes: Buffer, start: number, end: number): this {
		this.#bytes = end === bytes.length ? bytes : bytes.subarray(0, end);
		this.#end = end;
		this.#ampersand = this.#percent = this.#break = this.#backslash = start - 1;
		return this;
	}

	/** Returns the position of the first mark from `at` on, or the end of the window. A backslash before `at` is none. */
	next(at: number): number {
		if (this.#ampersand < at) this.#ampersand = this.#findAmpersand(at);
		if (this.#percent < at) this.#percent = this.#findPercent(at);
		if (this.#backslash < at) this.#backslash = this.#findBackslash(at);
		if (this.#break < at) this.#break = this.#findBreak(at);
		return Math.min(this.#ampersand, this.#percent, this.#backslash, this.#break);
	}

	#findAmpersand(from: number): number {
		const bytes = this.#bytes;
		for (let at = bytes.indexOf(AMPERSAND, from); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
			let next = at + 1;
			while (bytes[next] === ESCAPED[0] && isTextAt(bytes, next, ESCAPED)) next += ESCAPED.length;
			if (AFTER_AMPERSAND[bytes[next]] === 1 || ESCAPED_BREAKS.some((text) => isTextAt(bytes, next, text))) return at;
		}
		return this.#end;
	}

	#findBreak(from: number): number {
		// Markup has a `<` every few bytes, so it is searched for the letters.
		const skipped = this.#isMarkup ? 1 : 0;
		let first = this.#end;
		for (const text of BREAKS) {
			const searched = text.subarray(skipped);
			let at = this.#bytes.indexOf(searched, from + skipped);
			while (at !== -1 && this.#bytes[at - skipped] !== LESS_THAN) at = this.#bytes.indexOf(searched, at + 1);
			if (at !== -1) first = Math.min(first, at - skipped);
		}
		return first;
	}

	#findPercent(from: number): number {
		let at = this.#bytes.indexOf(PERCENT, from);
		while (at !== -1 && AFTER_PERCENT[this.#bytes[at + 1]] !== 1) at = this.#bytes.indexOf(PERCENT, at + 1);
		return at === -1 ? this.#end : at;
	}

	#findBackslash(from: number): number {
		let at = this.#bytes.indexOf(BACKSLASH, from);
		while (at !== -1 && !this.#isBackslashMark(at)) at = this.#bytes.indexOf(BACKSLASH, at + (this.#isJson ? 2 : 1));
		return at === -1 ? this.#end : at;
	}

	#isBackslashMark(at: number): boolean {
		const bytes = this.#bytes;
		if (this.#isJson && (bytes[at + 1] === LETTER_U || SHORT_ESCAPES[bytes[at + 1]] !== 0)) return true;
		let letter = at + 1;
		while (bytes[letter] === BACKSLASH) letter++;
		const isBlank = bytes[letter] === LETTER_U ? UNICODE_FIRST[bytes[letter + 1]] === 1 : bytes[letter] === LETTER_X;
		return isBlank || SHORT_ESCAPES[bytes[letter]] === TAB;
	}
}

/** Returns the code of a character that is written as `%20`, `%A0` or in UTF-8. */
function codeInAddress(text: string): number {
	const bytes = Buffer.from(text.replaceAll('%', ''), 'hex');
	return bytes.length === 1 ? bytes[0] : bytes.toString().codePointAt(0)!;
}

/** Tells whether an odd number of backslashes stands before the one at `at`, which is then a character itself. */
function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
	let first = at;
	while (first > start && bytes[first - 1] === BACKSLASH) first--;
	return (at - first) % 2 === 1;
}

/**
 * Returns the code of the character that the escape `\\uXXXX` at `at` stands for, or -1 if there is none. Two escapes in a
 * row may stand for one character above U+FFFF; one half of such a pair counts as U+FFFD.
 */
export function readUnicodeEscape(bytes: Uint8Array, at: number, end: number): number {
	const unit = codeUnit(bytes, at, end);
	if (unit < 0xd800 || unit > 0xdfff) return unit;
	const low = unit < 0xdc00 ? codeUnit(bytes, at + UNICODE_ESCAPE, end) : -1;
	return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) : 0xfffd;
}

/** Returns the four hexadecimal digits of the escape `\uXXXX` at `at` as a number, or -1 if there is none. */
function codeUnit(bytes: Uint8Array, at: number, end: number): number {
	if (at + UNICODE_ESCAPE > end || bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return -1;
	let unit = 0;
	for (let i = at + 2; i < at + UNICODE_ESCAPE; i++) {
		const value = hexValue(bytes[i]);
		if (value === -1) return -1;
		unit = unit * 16 + value;
	}
	return unit;
}
