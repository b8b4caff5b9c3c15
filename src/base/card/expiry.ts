import { numberAt } from './ascii.ts';
import { readAscii } from './ascii-digits.ts';
import { isPlaceholder, NO_YEARS, type ReadingRule } from './names/placeholders.ts';
import { endOfWhole } from './number.ts';
import { findMonth, isNoDate, readSpelledExpiry } from './spelling/expiry-spelling.ts';

/** An expiry as one integer, `YYYYMM` (202912 for December 2029), or `EXPIRY_ABSENT` or `EXPIRY_UNREADABLE`. */
export type Expiry = number;

/**
 * This value means that the layout has no expiry, or that its field is empty or holds a placeholder: the card is tokenized
 * with a warning.
 */
export const EXPIRY_ABSENT = 0;
/**
 * This value means that there is an expiry, but it cannot be read (month 13, letters, wrong length): the card is
 * refused.
 */
export const EXPIRY_UNREADABLE = -1;

/**
 * Lists the layouts of an expiry in one field. Separators are optional, so `MMYY` also reads `MM/YY`. The last two
 * layouts are full dates; they say whether the day or the month comes first.
 */
export const EXPIRY_FORMATS = [
	...(['MMYY', 'MM/YY', 'MM/YYYY', 'MMYYYY', 'YYMM', 'YYYY-MM', 'YYYYMM'] as const),
	...(['DD/MM/YYYY', 'MM/DD/YYYY'] as const),
] as const;
export type ExpiryFormat = (typeof EXPIRY_FORMATS)[number];

/** Joins a month and a year (two digits mean 20xx). Values out of range give `EXPIRY_UNREADABLE`. */
export function expiryOf(month: number, year: number): Expiry {
	const fullYear = year < 100 ? 2000 + year : year;
	const isReadable = month >= 1 && month <= 12 && fullYear >= 1900 && fullYear <= 2999;
	return isReadable ? fullYear * 100 + month : EXPIRY_UNREADABLE;
}

/** Takes an expiry apart, as callers and providers write it: a month of two digits and a year of four. */
export function writtenExpiry(expiry: Expiry): { readonly expiryMonth: string; readonly expiryYear: string } {
	return { expiryMonth: String(expiry % 100).padStart(2, '0'), expiryYear: String(Math.floor(expiry / 100)) };
}

/** Returns an expiry as pages show it, such as `04/2030`; undefined if there is none. */
export function shownExpiry(expiry: Expiry): string | undefined {
	if (expiry <= 0) return undefined;
	const { expiryMonth, expiryYear } = writtenExpiry(expiry);
	return `${expiryMonth}/${expiryYear}`;
}

/**
 * Tells whether a card with this expiry has expired in the month `now` (also `YYYYMM`). It is valid through the end of
 * its month.
 */
export function isExpired(expiry: Expiry, now: Expiry): boolean {
	return expiry > 0 && expiry < now;
}

/** Returns the month of a point in time, in UTC, as `YYYYMM`. */
export function monthOf(time: Date): Expiry {
	return time.getUTCFullYear() * 100 + time.getUTCMonth() + 1;
}

/**
 * Reads an expiry from one field. Without a format, its shape decides (docs/formats/csv.md): `MMYY`, `MM/YY`,
 * `YYYY-MM`, a full date, a month by its name, or a spreadsheet's number for a date. If two readings are possible,
 * `MMYY` wins. An empty or blank field gives `EXPIRY_ABSENT`, and so does a placeholder with the rule `lenient`.
 */
export function readExpiry(
	bytes: Uint8Array,
	start: number,
	end: number,
	format?: ExpiryFormat,
	rule: ReadingRule = 'lenient',
): Expiry {
	// The common layouts MMYY and MM/YY are read first and directly, because reading expiries takes much of the time for
	// a delimited file.
	if (end - start <= 5 && end - start >= 4 && (format === undefined || format === 'MMYY' || format === 'MM/YY')) {
		const isApart = end - start === 5;
		const separator = bytes[start + 2];
		const [month, year] = [numberAt(bytes, start, start + 2), numberAt(bytes, end - 2, end)];
		if (month >= 0 && year >= 0 && (!isApart || separator === SLASH || separator === HYPHEN || separator === POINT)) {
			const expiry = expiryOf(month, year);
			if (expiry !== EXPIRY_UNREADABLE) return expiry;
		}
	}
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return EXPIRY_ABSENT;
	const spelled = readSpelledExpiry(bytes, start, end, format);
	const expiry = spelled < 0 ? EXPIRY_UNREADABLE : expiryOf(spelled % 100, Math.floor(spelled / 100));
	const ascii = expiry === EXPIRY_UNREADABLE ? readAscii(bytes, start, end)?.bytes : undefined;
	if (ascii) return readExpiry(ascii, 0, ascii.length, format, rule);
	const mayBeNone = rule === 'lenient' && expiry < FIRST_PLAUSIBLE;
	return mayBeNone && isNoDate(bytes, start, end) ? EXPIRY_ABSENT : expiry;
}

/** Matches what is typed into the field of an expiry together with the code of the card, or with the stars in its place: `12/29 123`. */
const WITH_CODE = /^(.*\d)[ /|,;:-]{1,3}(?:cv[cv]2?[ :.#-]{0,3})?(\d{3}|\*{3})$/i;
const LONGEST_WITH_CODE = 32;

/**
 * Reads the expiry of a field that ends with three digits or stars of a security code. Anything else gives
 * `EXPIRY_UNREADABLE`.
 */
export function readExpiryWithCode(bytes: Buffer, start: number, end: number, format?: ExpiryFormat): Expiry {
	const field = end - start > LONGEST_WITH_CODE ? null : WITH_CODE.exec(bytes.toString('latin1', start, end));
	return field === null ? EXPIRY_UNREADABLE : readExpiry(bytes, start, start + field[1].length, format);
}

/** Dates that programs write for none are before this one: the year `0001` is read as 2001. */
const FIRST_PLAUSIBLE = 200_200;

const ZERO = 0x30;
const SLASH = 0x2f;
const HYPHEN = 0x2d;
const POINT = 0x2e;

/**
 * Reads a month field (`12` or its name) and a year field (two or four digits). If both are empty the result is
 * `EXPIRY_ABSENT`; if only one is empty, it is `EXPIRY_UNREADABLE`. With the rule `lenient`, a field with a placeholder
 * counts as empty.
 */
export function readMonthAndYear(
	bytes: Uint8Array,
	monthStart: number,
	monthEnd: number,
	yearStart: number,
	yearEnd: number,
	rule: ReadingRule = 'lenient',
): Expiry {
	const month = readSmallNumber(bytes, monthStart, monthEnd, 2, rule);
	const year = readSmallNumber(bytes, yearStart, yearEnd, 4, rule);
	// `99` and `9999` are placeholders for both, and `01` and `1900` come from a date that is none.
	const isNone = (month === 99 && year === 99) || (year > 99 && NO_YEARS.has(year));
	if (isNone && rule === 'lenient') return EXPIRY_ABSENT;
	if (month === -1 && year === -1) return EXPIRY_ABSENT;
	if (month === -1 || year < 0) return EXPIRY_UNREADABLE;
	return expiryOf(month === -2 ? findMonth(bytes, monthStart, monthEnd) : month, year);
}

/**
 * Reads a small number, which may have a fraction of zeros (`12.0`). Returns -1 if the field is empty or counts as empty, and
 * -2 if it is not a number of at most `maxDigits` digits.
 */
function readSmallNumber(bytes: Uint8Array, start: number, end: number, maxDigits: number, rule: ReadingRule): number {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return -1;
	if (end - start > 2 && bytes[end - 1] === ZERO) end = endOfWhole(bytes, start, end);
	const number = end - start > maxDigits ? -1 : numberAt(bytes, start, end);
	const ascii = number === -1 ? readAscii(bytes, start, end)?.bytes : undefined;
	if (ascii) return readSmallNumber(ascii, 0, ascii.length, maxDigits, rule);
	if (number <= 0 && rule === 'lenient' && isPlaceholder(bytes, start, end)) return -1;
	return number === -1 ? -2 : number;
}
