// Reads dates with what XML Schema adds to them.

import { FIELD, type Field } from '../held-card.ts';
import type { HeldValue } from '../held-value.ts';

/** Leaves out the time zone of a date, and the hyphens before a month. */
export function trimDate(field: Field, bytes: Buffer, value: HeldValue): void {
	if (field === FIELD.EXPIRY) value.end = zoneStart(bytes, value.start, value.end);
	else [value.start, value.end] = schemaPart(bytes, value.start, value.end);
}

/** Matches the dates of XML Schema with a time zone: `2029-12-31Z`, `2029-12+01:00`. */
const ZONED_DATE = /^(\d{4}-\d\d(?:-\d\d)?)(?:Z|[+-]\d\d:\d\d)$/;

/** Returns where the time zone of a date begins, or `end` if it has none. */
function zoneStart(bytes: Buffer, start: number, end: number): number {
	const last = bytes[end - 1];
	if ((last !== 0x5a && bytes[end - 3] !== 0x3a) || end - start < 8 || end - start > 16) return end;
	const date = ZONED_DATE.exec(bytes.toString('latin1', start, end));
	return date === null ? end : start + date[1].length;
}

/** Matches a month and a year of XML Schema, each perhaps with a time zone: `--12`, `--12Z`, `2029+01:00`. */
const SCHEMA_PART = /^(--(?=\d\d(?!\d)))?(\d\d|\d{4})(?:--)?(?:Z|[+-]\d\d:\d\d)?$/;

/** Returns the range of the digits of a month or year that is written as in XML Schema, or the range given. */
function schemaPart(bytes: Buffer, start: number, end: number): [start: number, end: number] {
	const length = end - start;
	if (length < 4 || length > 12 || (bytes[start] !== 0x2d && length === 4)) return [start, end];
	const part = SCHEMA_PART.exec(bytes.toString('latin1', start, end));
	if (part === null) return [start, end];
	const from = start + (part[1]?.length ?? 0);
	return [from, from + part[2].length];
}
