// Passes the values of card fields to the cards that are open, and decides about values inside the element of a field.

import { isPlaceholder } from '../../../src/base/card/names/placeholders.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { isDate } from '../card-names.ts';
import { FIELD, type HeldCard } from '../held-card.ts';
import { type HeldCards, WEIGHT } from '../held-cards.ts';
import { isWrittenAsCvv, LEAST_INSIDE } from '../held-cvvs.ts';
import type { NameNotices } from '../name-notices.ts';
import { isSplitNumber } from '../split-number.ts';
import type { OpenField } from './field.ts';
import type { InnerValues } from './inner-values.ts';
import type { MarkupPath } from './selectors.ts';

/** Passes values to cards. It keeps nothing from one value to the next. */
export class MarkupValues {
	readonly #held: HeldCards;
	readonly #notices: NameNotices;

	constructor(held: HeldCards, notices: NameNotices) {
		this.#held = held;
		this.#notices = notices;
	}

	/** Handles the value of the field to which `path` leads. */
	note(
		card: HeldCard,
		path: MarkupPath,
		bytes: Buffer,
		start: number,
		end: number,
		line: number,
		isEscaped: boolean,
		nameStart: number,
		nameEnd: number,
		found: Findings,
	): void {
		const { field, isSure } = path;
		const held = this.#held;
		if (field === FIELD.NUMBER) {
			if (path.gate !== WEIGHT.NONE) {
				if (!held.holdsNumber(card, bytes, start, end, isEscaped, path.gate)) return;
				card.see(field, true);
			}
			if (path.isWord) held.addCandidate(bytes, card, start, end, line, false, isEscaped);
			else held.addNumber(card, start, end, line, false, isEscaped, found);
		} else if (path.isCode && isWrittenAsCvv(bytes, start, end)) {
			card.cvvs.add(start, end, false, isEscaped, false, nameStart, nameEnd);
		} else if (field !== FIELD.CVV) {
			if (isDate(field) && !isEscaped && isPlaceholder(bytes, start, end)) return;
			if (field === FIELD.EXPIRY && !isEscaped) {
				end = zoneStart(bytes, start, end);
			} else if (isDate(field) && !isEscaped) {
				[start, end] = schemaPart(bytes, start, end);
			}
			if (isSure && isDate(field)) {
				card.dateNameStart = nameStart;
				card.dateNameEnd = nameEnd;
			}
			card.addField(field, start, end, isEscaped, isSure, path.isBare && !card.isCard);
		} else if (!path.isWord) card.cvvs.add(start, end, false, isEscaped, true, nameStart, nameEnd);
		else if (isWrittenAsCvv(bytes, start, end)) {
			card.cvvs.add(start, end, false, isEscaped, false, nameStart, nameEnd);
		} else if (card.isCard) card.addField(FIELD.TYPE, start, end, isEscaped, false);
	}

	/** Notes a value of three or four digits under an unknown name in a card, because it may be a CVV. */
	suspect(card: HeldCard, bytes: Buffer, start: number, end: number, nameStart: number, nameEnd: number): void {
		if (bytes[start] !== 0x2a && isWrittenAsCvv(bytes, start, end)) card.cvvs.suspect(nameStart, nameEnd, end - start);
	}

	/**
	 * Handles the element of a number or CVV that closes without a text of its own. If its only attribute or child
	 * element with an unknown name has a value, that is the value of the field. Otherwise a CVV that may be inside is
	 * told, and so is a number whose digits are split over the children.
	 */
	closeWithoutText(open: OpenField, card: HeldCard, path: MarkupPath, bytes: Buffer, found: Findings): void {
		const { inner, nameStart, nameEnd } = open;
		if (inner.isRead) return;
		const isCvv = path.field === FIELD.CVV;
		const isSole = inner.count === 1 && inner.isUnknown && inner.found === found.length;
		if (isSole && this.#isValue(inner, isCvv, bytes)) {
			const [start, end] = inner.spans;
			this.note(card, path, bytes, start, end, inner.line, inner.isEscaped, nameStart, nameEnd, found);
		} else if (isCvv && inner.hasCode) this.#notices.tell('unread-cvv', bytes, nameStart, nameEnd, found);
		else if (!isCvv && isSplitNumber(bytes, inner.spans)) {
			this.#notices.tell('split-number', bytes, nameStart, nameEnd, found);
		}
	}

	#isValue({ spans: [start, end], isEscaped }: InnerValues, isCvv: boolean, bytes: Buffer): boolean {
		if (isCvv) return !isEscaped && isWrittenAsCvv(bytes, start, end, LEAST_INSIDE);
		return this.#held.weigh(bytes, start, end, isEscaped) !== WEIGHT.NONE;
	}
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
