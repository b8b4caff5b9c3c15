// Which sub-record a line of an IUR begins (formats §4.2).

import type { CodedNumbers } from '../scan/lines/coded.ts';
import { isDigit, isUpperLetter } from '../scan/lines/number.ts';
import { paysByCard } from './columns.ts';
import { tailsStart } from './tails.ts';

export type IurLineKind =
	/** `AA` + day, month, time + `M0` at column 12: a new record. The line has fixed columns, as those of M1 to M4 and MG. */
	| 'M0'
	| 'M1'
	| 'M2'
	/** The lines behind its fixed line are text. */
	| 'M3'
	| 'M4'
	| 'M5'
	| 'MG'
	/** A line of text that begins as an MG does. Its columns stay, lest it become one. */
	| 'likeMG'
	/** M7, M8, M9, ME, MF: text, in their first line too. */
	| 'remarks'
	/** MB, MC, MD: charges, with forms of payment in the lines behind. */
	| 'charges'
	/** M6, MA, MX: nothing in fixed columns, no place for cards. */
	| 'plain'
	/** Not the first line of a sub-record. */
	| 'variable';

const A = 0x41;
const M = 0x4d;
const ZERO = 0x30;
const SIX = 0x36;

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

/** Whether a record begins here. */
export function isRecordStart(bytes: Uint8Array, start: number, end: number): boolean {
	return (
		end - start >= 13 &&
		bytes[start] === A &&
		bytes[start + 1] === A &&
		bytes[start + 11] === M &&
		bytes[start + 12] === ZERO
	);
}

/** Whether a record is a void: transaction type 5, a header line and nothing more. */
export function isVoid(bytes: Uint8Array, start: number, end: number): boolean {
	return start + 13 < end && bytes[start + 13] === 0x35;
}

/**
 * What a line begins. A two-digit item number follows the name of a sub-record (in M6 a passenger type may), so that a
 * line of text such as `MGM GRAND` or `MA CHAMBRE` begins none.
 */
export function lineKindOf(bytes: Buffer, start: number, end: number, numbers: CodedNumbers): IurLineKind {
	if (end - start < 4) return 'variable';
	if (bytes[start] === A) return isRecordStart(bytes, start, end) ? 'M0' : 'variable';
	if (bytes[start] !== M) return 'variable';
	const id = bytes[start + 1];
	const kind = KINDS[id];
	if (kind === undefined) return 'variable';
	// The codes MA, MC and MD with their number, or with a token, which may begin with two digits or not.
	if (isUpperLetter(id) && numbers.read(bytes, start, start, end, true)) return 'variable';
	if (isDigit(bytes[start + 2]) && isDigit(bytes[start + 3])) return kind;
	if (id === SIX) return isUpperLetter(bytes[start + 2]) ? kind : 'variable';
	if (kind !== 'MG') return 'variable';
	// Nothing public says what follows MG, but its form of payment stands in fixed columns.
	return paysByCard(bytes, start, tailsStart(bytes, start, end)) ? kind : 'likeMG';
}

/** Whether the line that begins at `start` keeps its columns, as far as its beginning tells. */
export function hasColumns(bytes: Uint8Array, start: number, end: number): boolean {
	if (isRecordStart(bytes, start, end)) return true;
	if (end - start < 4 || bytes[start] !== M) return false;
	const kind = KINDS[bytes[start + 1]];
	if (kind === 'MG') return true;
	const isFixed = kind === 'M1' || kind === 'M2' || kind === 'M3' || kind === 'M4';
	return isFixed && isDigit(bytes[start + 2]) && isDigit(bytes[start + 3]);
}
