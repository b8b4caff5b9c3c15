// The first characters of a line tell which sub-record of an IUR it begins (formats §4.2).

import { isDigit, isTextAt, isUpperLetter } from '../../src/base/card/ascii.ts';
import type { CodedNumbers } from '../scan/lines/coded.ts';
import { paysByCard } from './columns.ts';
import { tailsStart } from './tails.ts';

export type IurLineKind =
	/**
	 * The line begins a new record: `AA`, day, month and time, with `M0` at column 12. Like the lines of M1 to M4 and MG
	 * it has fixed columns.
	 */
	| 'M0'
	| 'M1'
	| 'M2'
	/** The line is the fixed line of an M3; the lines after it are text. */
	| 'M3'
	| 'M4'
	| 'M5'
	| 'MG'
	/**
	 * The line begins like an MG but has no payment by card, so it is read as text. No exchange may move its columns,
	 * because the changed line could pass for an MG.
	 */
	| 'likeMG'
	/** The line begins a sub-record M7, M8, M9, ME or MF, in which all lines are text, even the first. */
	| 'remarks'
	/**
	 * The line begins a sub-record MB, MC or MD, which holds charges, with forms of payment in the lines after the first.
	 */
	| 'charges'
	/** The line begins a sub-record M6, MA or MX, which has no fixed columns and no field for cards. */
	| 'plain'
	/** The line begins no sub-record; it belongs to the one that began before it. */
	| 'variable';

const A = 0x41;
const M = 0x4d;
const RECORD = Buffer.from('AA');
const FIRST_SECTION = Buffer.from('M0');
const SIX = 0x36;
/** The name of a sub-record and its item number, as in `M801`, end at this column. */
const ITEM_END = 4;

const KINDS: (IurLineKind | undefined)[] = new Array(256).fill(undefined);
for (const [ids, kind] of [
	['1', 'M1'],
	['2', 'M2'],
	['3', 'M3'],
	['4', 'M4'],
	['5', 'M5'],
	['G', 'MG'],
	['789EF', 'remarks'],
	['BCD', 'charges'],
	['6AX', 'plain'],
] as const) {
	for (const id of ids) KINDS[id.charCodeAt(0)] = kind;
}

/** Tells by the first letter of a line whether it may begin a sub-record or have the name of one. */
export function mayBeginSection(bytes: Uint8Array, start: number): boolean {
	return bytes[start] === M || bytes[start] === A;
}

export function isRecordStart(bytes: Uint8Array, start: number, end: number): boolean {
	return end - start >= 13 && isTextAt(bytes, start, RECORD) && isTextAt(bytes, start + 11, FIRST_SECTION);
}

/** Tells whether a record is a void: it has transaction type 5, a header line and nothing more. */
export function isVoid(bytes: Uint8Array, start: number, end: number): boolean {
	return start + 13 < end && bytes[start + 13] === 0x35;
}

/**
 * Returns the kind of a line. The name of a sub-record is followed by a two-digit item number, or in an M6 by a
 * passenger type. So a line of text such as `MGM GRAND` or `MA CHAMBRE` is not taken for the first line of a
 * sub-record.
 */
export function lineKindOf(bytes: Buffer, start: number, end: number, numbers: CodedNumbers): IurLineKind {
	if (end - start < 4) return 'variable';
	if (bytes[start] === A) return isRecordStart(bytes, start, end) ? 'M0' : 'variable';
	if (bytes[start] !== M) return 'variable';
	const id = bytes[start + 1];
	const kind = KINDS[id];
	if (kind === undefined) return 'variable';
	// MA, MC and MD are also codes of cards. If a number or a token follows, the line begins with a card and not with the
	// name of a sub-record. This is checked before the item number, because a token may begin with two digits.
	if (isUpperLetter(id) && numbers.read(bytes, start, start, end, true)) return 'variable';
	if (isDigit(bytes[start + 2]) && isDigit(bytes[start + 3])) return kind;
	if (id === SIX) return isUpperLetter(bytes[start + 2]) ? kind : 'variable';
	if (kind !== 'MG') return 'variable';
	// No public document says what follows the letters MG. So the line is an MG only if its columns hold a form of
	// payment by card.
	return paysByCard(bytes, start, tailsStart(bytes, start, end)) ? kind : 'likeMG';
}

/**
 * Returns where the text of a line begins: behind the name of its sub-record and the item number (`M801`). It begins at
 * `start` if the line has fixed columns or no such name. Sub-records that no public document describes count too.
 */
export function textStartOf(kind: IurLineKind, bytes: Uint8Array, start: number, end: number): number {
	const isText = kind === 'remarks' || kind === 'charges' || kind === 'plain';
	if (!isText && (kind !== 'variable' || bytes[start] !== M || end - start < ITEM_END)) return start;
	const id = bytes[start + 1];
	if (!isText && (KINDS[id] !== undefined || !isUpperLetter(id))) return start;
	return isDigit(bytes[start + 2]) && isDigit(bytes[start + 3]) ? start + ITEM_END : start;
}

/** Tells from the beginning of a line whether it has columns that must not move. */
export function hasColumns(bytes: Uint8Array, start: number, end: number): boolean {
	if (isRecordStart(bytes, start, end)) return true;
	if (end - start < 4 || bytes[start] !== M) return false;
	const kind = KINDS[bytes[start + 1]];
	if (kind === 'MG') return true;
	const isFixed = kind === 'M1' || kind === 'M2' || kind === 'M3' || kind === 'M4';
	return isFixed && isDigit(bytes[start + 2]) && isDigit(bytes[start + 3]);
}
