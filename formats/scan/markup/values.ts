// Reads the values of fields as XML has them: inside the element of a field, and dates with what XML Schema adds to them.

import type { Findings } from '../../../src/engine/format.ts';
import { FIELD, type Field, type HeldCard } from '../held-card.ts';
import { type HeldCards, WEIGHT } from '../held-cards.ts';
import { isWrittenAsCvv, LEAST_INSIDE } from '../held-cvvs.ts';
import type { HeldValue } from '../held-value.ts';
import type { NameNotices } from '../name-notices.ts';
import type { OpenField } from './field.ts';
import type { MarkupPath } from './selectors.ts';

/**
 * Handles the element of a number or CVV that closes without a text of its own. If its only attribute or child element
 * with an unknown name has a value, that is the value of the field. Otherwise a CVV that may be inside is told, and so is
 * a number whose digits are split over the children.
 */
export function closeWithoutText(
	held: HeldCards,
	open: OpenField,
	card: HeldCard,
	path: MarkupPath,
	bytes: Buffer,
	notices: NameNotices,
	found: Findings,
): void {
	const { inner } = open;
	if (inner.isRead) return;
	const isCvv = path.field === FIELD.CVV;
	const isSole = inner.count === 1 && inner.isUnknown && open.foundBefore === found.length;
	if (isSole && isValue(held, inner.last, isCvv, bytes)) held.note(card, path, inner.last.callAs(open), bytes, found);
	else inner.tellUnread(isCvv, bytes, open, notices, found);
}

function isValue(held: HeldCards, value: HeldValue, isCvv: boolean, bytes: Buffer): boolean {
	if (isCvv) return !value.isEscaped && isWrittenAsCvv(bytes, value.start, value.end, LEAST_INSIDE);
	return held.weigh(bytes, value) !== WEIGHT.NONE;
}

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
