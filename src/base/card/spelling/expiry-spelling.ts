// Reads expiries in the spellings of people and spreadsheets: `Dec-29`, `31.12.2029`, `2029/12`, `012029`, and `47483`,
// which is 31 December 2029 as the number of days that spreadsheets store.

import { areDigits, isDigit, isLetter, tableOf } from '../ascii.ts';
import type { ExpiryFormat } from '../expiry.ts';
import { EXPIRY_WORDS } from '../names/expiry-words.ts';
import { monthOfName, plainName } from '../names/month-names.ts';
import { isPlaceholder, NO_YEARS } from '../names/placeholders.ts';
import { endOfWhole } from '../number.ts';
import { blankWidth, dashWidth, invisibleWidth } from './blanks.ts';

/** The month and year as one number in the order year, month: `2912` for December 29, `202912` for December 2029. */
type MonthOfYear = number;
const NONE = -1;

/** People and programs put these around a value: `"12/29"`, `="1229"`, `(12/29)`. */
const WRAPPERS = tableOf('"\'=()[]<>;');
/** A value of fewer digits with a fraction of zeros may be month and year: `12.00`. */
const LEAST_WHOLE = 4;
/** No spelling of an expiry has more bytes than this. */
const MAX_LENGTH = 48;
/** Spreadsheets store a date as a number of days. These two are 1 January 2000 and 31 December 2099. */
const FIRST_SERIAL = 36_526;
const LAST_SERIAL = 73_050;
/** The date that a spreadsheet counts as day 0. */
const SERIAL_EPOCH = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** Holds 1 for every ASCII sign that may divide the parts of a date. */
const SIGNS = tableOf("/-.,'_|\\");
/** One sign divides two parts, but for the apostrophe of a short year: `12/'29`. */
const APOSTROPHE = 0x27;
/** These words may be between the parts of a date: `31 de diciembre de 2029`, `1er décembre`. */
const FILLERS: ReadonlySet<string> = new Set(['de', 'del', 'd', 'of', 'st', 'nd', 'rd', 'th', 'er', 'do', 'di']);

/** The parts of a date. One object is reused for all dates. */
class DateParts {
	/** The value of each group of digits in the date; `lengths` has the number of digits of each group. */
	readonly values = [0, 0, 0, 0];
	readonly lengths = [0, 0, 0, 0];
	count = 0;
	/** The month that was given by its name; 0 for none. */
	month = 0;
	/** The separator between the first two groups, or 0 if there is only a blank or none. */
	sign = 0;

	/**
	 * Reads the date in `bytes[start, end)` into this object. Returns false if the bytes are not a date: they must
	 * contain one to four groups of digits and at most one name of a month, and otherwise only separators, words such
	 * as `de`, and a time of day.
	 */
	read(bytes: Uint8Array, start: number, end: number): boolean {
		this.count = this.month = this.sign = 0;
		let signs = 0;
		for (let at = start; at < end; ) {
			const byte = bytes[at];
			if (isDigit(byte)) {
				at = this.#readDigits(bytes, at, end);
				if (at < 0) return false;
				signs = 0;
				continue;
			}
			const blank = blankWidth(bytes, at, end) || invisibleWidth(bytes, at, end);
			const sign = SIGNS[byte] || dashWidth(bytes, at, end) || slashWidth(bytes, at, end);
			if (blank > 0) {
				at += blank;
			} else if (sign > 0) {
				if (at === start || (++signs > 1 && byte !== APOSTROPHE)) return false;
				if (this.count === 1 && this.sign === 0) this.sign = byte;
				at += sign;
			} else if (byte === 0x3a && this.count === 0 && this.month === 0) {
				at++;
			} else if (byte === 0x3a || (byte === 0x54 && this.count === 3 && this.month === 0)) {
				return this.#dropTime(byte);
			} else {
				at = this.#readName(bytes, at, end);
				if (at < 0) return false;
				signs = 0;
			}
		}
		return this.count > 0 && (signs === 0 || bytes[end - 1] === 0x2e);
	}

	/** Tells whether the date that was read is none: all zeros or nines, or in a year of `NO_YEARS`. */
	isNone(): boolean {
		const { values, lengths, count } = this;
		let [digits, zeros, nines] = [0, 0, 0];
		for (let i = 0; i < count; i++) {
			const [value, length] = [values[i], lengths[i]];
			digits += length;
			if (value === 0) zeros++;
			else if (value === 10 ** length - 1) nines++;
			// Four digits alone are not a year, and in six or eight the year may come first, or last behind a month.
			const hasYear = length === 4 ? count > 1 || this.month > 0 : length === 6 || length === 8;
			const isLast = length !== 6 || value < 130_000;
			const isNoYear = isLast && NO_YEARS.has(value % 10_000);
			if (hasYear && (isNoYear || NO_YEARS.has(Math.floor(value / 10 ** (length - 4))))) return true;
		}
		return zeros === count || (nines === count && digits >= 4 && digits % 2 === 0);
	}

	#readDigits(bytes: Uint8Array, at: number, end: number): number {
		if (this.count === 4) return -1;
		let value = 0;
		const start = at;
		for (; at < end && isDigit(bytes[at]); at++) value = value * 10 + bytes[at] - 48;
		if (at - start > 8) return -1;
		this.values[this.count] = value;
		this.lengths[this.count++] = at - start;
		return at;
	}

	#readName(bytes: Uint8Array, at: number, end: number): number {
		const isFirst = this.count === 0 && this.month === 0;
		if (isFirst && EXPIRY_WORDS.read(bytes, at, end)) return EXPIRY_WORDS.end;
		const start = at;
		while (at < end && (isLetter(bytes[at]) || bytes[at] >= 0x80) && blankWidth(bytes, at, end) === 0) at++;
		if (at === start) return -1;
		const name = plainName(bytes, start, at);
		const month = monthOfName(name);
		if (month === 0) return FILLERS.has(name) && (this.count > 0 || this.month > 0) ? at : -1;
		if (this.month !== 0) return -1;
		this.month = month;
		return at;
	}

	/**
	 * Leaves out the time of day that follows a date. It begins with `T`, or is noticed only at the colon behind its
	 * hour. In the latter case the hour was already read as a group of digits, which is removed here. Returns false if
	 * there is no whole date before the time.
	 */
	#dropTime(sign: number): boolean {
		if (sign === 0x3a) this.count--;
		return this.count === 3 || (this.month !== 0 && this.count === 2);
	}
}

const parts = new DateParts();

/**
 * Reads the month and year in `bytes[start, end)`, ignoring surrounding blanks, as `YYYYMM` or `YYMM`; -1 means that
 * they cannot be read. The month is checked, the year is not.
 */
export function readSpelledExpiry(bytes: Uint8Array, start: number, end: number, format?: ExpiryFormat): MonthOfYear {
	while (start < end && WRAPPERS[bytes[start]] === 1) start++;
	while (end > start && WRAPPERS[bytes[end - 1]] === 1) end--;
	const whole = endOfWhole(bytes, start, end);
	if (whole < end && whole - start >= LEAST_WHOLE && areDigits(bytes, start, whole)) end = whole;
	if (end - start > MAX_LENGTH || !parts.read(bytes, start, end) || parts.count > 3) return NONE;
	if (parts.month !== 0) return withMonthName();
	if (parts.count === 3) return fullDate(format);
	const isYearFirst = format === undefined ? undefined : format.startsWith('Y');
	return parts.count === 2 ? twoGroups(isYearFirst) : oneGroup(isYearFirst);
}

/** Tells whether a field that gives no plausible date says that there is none. */
export function isNoDate(bytes: Uint8Array, start: number, end: number): boolean {
	if (isPlaceholder(bytes, start, end)) return true;
	return end - start <= MAX_LENGTH && parts.read(bytes, start, end) && parts.isNone();
}

/** Returns the month that a field names, or 0. */
export function findMonth(bytes: Uint8Array, start: number, end: number): number {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && (bytes[end - 1] <= 0x20 || bytes[end - 1] === 0x2e)) end--;
	return monthOfName(plainName(bytes, start, end));
}

function monthOf(month: number, year: number): MonthOfYear {
	return month >= 1 && month <= 12 ? year * 100 + month : NONE;
}

/** Reads `Dec-29`, `31 December 2029` and `29DEC`. Of two numbers of two digits the last is the year. */
function withMonthName(): MonthOfYear {
	const { values, lengths, month, count } = parts;
	if (count > 2) return NONE;
	const year = count === 2 && lengths[0] === 4 ? 0 : count - 1;
	if (lengths[year] !== 2 && lengths[year] !== 4) return NONE;
	if (count === 2 && !isDay(values[1 - year], month, values[year])) return NONE;
	return monthOf(month, values[year]);
}

function fullDate(format: ExpiryFormat | undefined): MonthOfYear {
	const { values, lengths, sign } = parts;
	const [first, second, third] = values;
	if (lengths[0] === 4) return lengths[1] <= 2 && lengths[2] <= 2 ? dated(third, second, first) : NONE;
	if (lengths[0] > 2 || lengths[1] > 2 || (lengths[2] !== 4 && lengths[2] !== 2)) return NONE;
	if (format === 'MM/DD/YYYY') return dated(second, first, third);
	if (format === 'DD/MM/YYYY' || sign === 0x2e) return dated(first, second, third);
	const dayFirst = dated(first, second, third);
	const monthFirst = dated(second, first, third);
	const isShort = lengths[2] === 2;
	if (!isShort && (dayFirst === NONE || monthFirst === NONE)) return Math.max(dayFirst, monthFirst);
	return atMonthEnd(isShort);
}

/**
 * Reads a date that has several readings. Cards expire at the end of a month, so only those readings are considered
 * whose day is the first or the last of a month. Unless they all give the same month, the date cannot be read.
 */
function atMonthEnd(isShort: boolean): MonthOfYear {
	const [first, second, third] = parts.values;
	const found = new Set<MonthOfYear>();
	const offer = (day: number, month: number, year: number) => {
		if (isDay(day, month, year) && (day === 1 || day === lastDay(month, year))) found.add(monthOf(month, year));
	};
	offer(first, second, third);
	offer(second, first, third);
	if (isShort) offer(third, second, first);
	return found.size === 1 ? [...found][0] : NONE;
}

function dated(day: number, month: number, year: number): MonthOfYear {
	return isDay(day, month, year) ? monthOf(month, year) : NONE;
}

function isDay(day: number, month: number, year: number): boolean {
	return day >= 1 && month >= 1 && month <= 12 && day <= lastDay(month, year);
}

function lastDay(month: number, year: number): number {
	return new Date(Date.UTC(year < 100 ? 2000 + year : year, month, 0)).getUTCDate();
}

function twoGroups(isYearFirst: boolean | undefined): MonthOfYear {
	const { values, lengths } = parts;
	const [first, second] = values;
	if (isYearFirst ?? lengths[0] === 4) {
		const isShort = lengths[0] === 2 && lengths[1] === 2;
		return (lengths[0] === 4 && lengths[1] <= 2) || isShort ? monthOf(second, first) : NONE;
	}
	return lengths[0] <= 2 && (lengths[1] === 2 || lengths[1] === 4) ? monthOf(first, second) : NONE;
}

function oneGroup(isYearFirst: boolean | undefined): MonthOfYear {
	const value = parts.values[0];
	switch (parts.lengths[0]) {
		// Three digits are `MMYY` without the leading zero, which a spreadsheet has removed: `129` stands for `0129`.
		case 3:
			return isYearFirst === true ? NONE : monthOf(Math.floor(value / 100), value % 100);
		case 4:
			return isYearFirst === true
				? monthOf(value % 100, Math.floor(value / 100))
				: monthOf(Math.floor(value / 100), value % 100);
		case 5:
			return isYearFirst === true ? NONE : fiveDigits(value);
		case 6:
			return sixDigits(value, isYearFirst);
		case 8:
			return eightDigits(value);
		default:
			return NONE;
	}
}

/**
 * Reads five digits. `12029` is January 2029 without its leading zero, and any number that does not end with a year
 * from 2000 to 2099 is a date as spreadsheets store it, in days.
 */
function fiveDigits(value: number): MonthOfYear {
	const year = value % 10_000;
	if (year >= 2000 && year < 2100) return monthOf(Math.floor(value / 10_000), year);
	if (value < FIRST_SERIAL || value > LAST_SERIAL) return NONE;
	const day = new Date(SERIAL_EPOCH + value * DAY_MS);
	return monthOf(day.getUTCMonth() + 1, day.getUTCFullYear());
}

function sixDigits(value: number, isYearFirst: boolean | undefined): MonthOfYear {
	const yearFirst = monthOf(value % 100, Math.floor(value / 100));
	if (isYearFirst === true) return yearFirst;
	const monthFirst = monthOf(Math.floor(value / 10_000), value % 10_000);
	return monthFirst === NONE && isYearFirst === undefined ? yearFirst : monthFirst;
}

/** Reads `20291231` or `31122029`. */
function eightDigits(value: number): MonthOfYear {
	const yearFirst = Math.floor(value / 10_000);
	if (yearFirst >= 1900 && yearFirst < 2100) return dated(value % 100, Math.floor(value / 100) % 100, yearFirst);
	return dated(Math.floor(value / 1_000_000), Math.floor(value / 10_000) % 100, value % 10_000);
}

/** Returns the width in bytes of a slash of fractions (U+2044, U+2215), or 0. */
function slashWidth(bytes: Uint8Array, at: number, end: number): number {
	if (bytes[at] !== 0xe2 || at + 2 >= end) return 0;
	const [second, third] = [bytes[at + 1], bytes[at + 2]];
	return (second === 0x81 && third === 0x84) || (second === 0x88 && third === 0x95) ? 3 : 0;
}
