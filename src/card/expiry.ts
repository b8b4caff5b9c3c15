/** An expiry as one integer, `YYYYMM` (202912 for December 2029), or one of the two constants below. */
export type Expiry = number;

/** The layout has no expiry, or its field is empty: the card is tokenized with a warning. */
export const EXPIRY_ABSENT = 0;
/** There is an expiry, but it cannot be read (month 13, letters, wrong length): the card is refused. */
export const EXPIRY_UNREADABLE = -1;

/** Layouts of an expiry written in one field. `MMYY` also reads `MM/YY` and so on: separators are optional. */
export const EXPIRY_FORMATS = ['MMYY', 'MM/YY', 'MM/YYYY', 'MMYYYY', 'YYMM', 'YYYY-MM', 'YYYYMM'] as const;
export type ExpiryFormat = (typeof EXPIRY_FORMATS)[number];

/** Joins a month and a year (two digits mean 20xx). Anything out of range is `EXPIRY_UNREADABLE`. */
export function expiryOf(month: number, year: number): Expiry {
	const fullYear = year < 100 ? 2000 + year : year;
	const isReadable = month >= 1 && month <= 12 && fullYear >= 1900 && fullYear <= 2999;
	return isReadable ? fullYear * 100 + month : EXPIRY_UNREADABLE;
}

/** Whether a card of this expiry is no longer good in the month `now` (also `YYYYMM`): good through the end of its month. */
export function isExpired(expiry: Expiry, now: Expiry): boolean {
	return expiry > 0 && expiry < now;
}

/** The month of a point in time, UTC, as `YYYYMM`. */
export function monthOf(time: Date): Expiry {
	return time.getUTCFullYear() * 100 + time.getUTCMonth() + 1;
}

/**
 * Reads an expiry from one field, bytes only. Without a format it is told by its shape: `MMYY`, `MM/YY`,
 * `MM/YYYY`, `MMYYYY`, `YYYY-MM` (formats §5, §7); `/`, `-`, `.` and a blank all separate. A trailing
 * day (`YYYY-MM-DD`) is read over. Empty or blank is `EXPIRY_ABSENT`.
 */
export function readExpiry(bytes: Uint8Array, start: number, end: number, format?: ExpiryFormat): Expiry {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return EXPIRY_ABSENT;
	// Hot path of every delimited file: exactly MMYY or MM/YY.
	const length = end - start;
	let digits = 0;
	let count = 0;
	let firstGroup = 0;
	let groups = 1;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (byte >= 0x30 && byte <= 0x39) {
			digits = digits * 10 + byte - 48;
			count++;
		} else if (count > 0 && (byte === 0x2f || byte === 0x2d || byte === 0x2e || byte === 0x20)) {
			if (groups++ === 1) firstGroup = count;
		} else return EXPIRY_UNREADABLE;
	}
	if (length > 10 || count > 8) return EXPIRY_UNREADABLE;
	if (groups === 3 && firstGroup === 4 && count === 8) {
		digits = Math.floor(digits / 100);
		count = 6;
	} else if (groups > 2) return EXPIRY_UNREADABLE;
	const isYearFirst = format ? format.startsWith('Y') : firstGroup === 4;
	if (count === 4 && (firstGroup === 0 || firstGroup === 2)) {
		const [head, tail] = [Math.floor(digits / 100), digits % 100];
		return isYearFirst ? expiryOf(tail, head) : expiryOf(head, tail);
	}
	if (count === 3 && firstGroup === 1 && !isYearFirst) return expiryOf(Math.floor(digits / 100), digits % 100);
	if (count === 6 && isYearFirst && (firstGroup === 0 || firstGroup === 4)) {
		return expiryOf(digits % 100, Math.floor(digits / 100));
	}
	if (count === 6 && !isYearFirst && (firstGroup === 0 || firstGroup === 2)) {
		return expiryOf(Math.floor(digits / 10_000), digits % 10_000);
	}
	if (count === 5 && firstGroup === 1 && !isYearFirst) return expiryOf(Math.floor(digits / 10_000), digits % 10_000);
	return EXPIRY_UNREADABLE;
}

/** Reads a month field and a year field (two or four digits). Both empty is `EXPIRY_ABSENT`, one empty is unreadable. */
export function readMonthAndYear(
	bytes: Uint8Array,
	monthStart: number,
	monthEnd: number,
	yearStart: number,
	yearEnd: number,
): Expiry {
	const month = readSmallNumber(bytes, monthStart, monthEnd, 2);
	const year = readSmallNumber(bytes, yearStart, yearEnd, 4);
	if (month === -1 && year === -1) return EXPIRY_ABSENT;
	if (month < 0 || year < 0) return EXPIRY_UNREADABLE;
	return expiryOf(month, year);
}

/** -1 when empty, -2 when not a number of at most `maxDigits` digits. */
function readSmallNumber(bytes: Uint8Array, start: number, end: number, maxDigits: number): number {
	while (start < end && bytes[start] <= 0x20) start++;
	while (end > start && bytes[end - 1] <= 0x20) end--;
	if (start === end) return -1;
	if (end - start > maxDigits) return -2;
	let value = 0;
	for (let i = start; i < end; i++) {
		const digit = bytes[i] - 48;
		if (digit < 0 || digit > 9) return -2;
		value = value * 10 + digit;
	}
	return value;
}
