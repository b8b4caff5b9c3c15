// Which sub-record a line of an IUR begins (formats §4.2).

import { paysByCard } from './iur-columns.ts';
import { isDigit, isUpperLetter } from './scan/lines-number.ts';

export type IurLineKind =
	/** `AA` + day, month, time + `M0` at column 12: a new record. */
	| 'M0'
	| 'M1'
	| 'M2'
	/** Its fixed line is never looked at, the lines behind it are text. */
	| 'M3'
	| 'M5'
	| 'MG'
	/** M7, M8, M9, ME, MF: text, in their first line too. */
	| 'remarks'
	/** M4, M6, MA to MD, MX: never looked at. */
	| 'excluded'
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
	['5', 'M5'],
	['G', 'MG'],
	['789EF', 'remarks'],
	['46ABCDX', 'excluded'],
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
export function lineKindOf(bytes: Uint8Array, start: number, end: number): IurLineKind {
	if (end - start < 4) return 'variable';
	if (bytes[start] === A) return isRecordStart(bytes, start, end) ? 'M0' : 'variable';
	if (bytes[start] !== M) return 'variable';
	const id = bytes[start + 1];
	const kind = KINDS[id];
	if (kind === undefined || (isDigit(bytes[start + 2]) && isDigit(bytes[start + 3]))) return kind ?? 'variable';
	if (id === SIX) return isUpperLetter(bytes[start + 2]) ? kind : 'variable';
	// Nothing public says what follows MG, but its form of payment stands in fixed columns.
	return kind === 'MG' && paysByCard(bytes, start, end) ? kind : 'variable';
}
