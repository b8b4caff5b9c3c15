// These checks tell whether an IUR file was cut off. It has no trailer and no reliable count, so they use the one rule
// that every complete file keeps: a part that is announced is present (docs/formats/iur.md).

import { isWholeMg } from './columns.ts';
import { hasColumns, isRecordStart, isVoid } from './sections.ts';
import { endsInTail } from './tails.ts';

/** The numbers of lines that follow the first line of an M1 and of an M2 sub-record (formats §4.2). */
export const LINES_BEHIND_M1 = 5;
export const LINES_BEHIND_M2 = 11;
/**
 * A void record is one header line, of at least this length, which ends with its record locator. A shorter one was cut
 * off.
 */
const VOID_LENGTH = 50;

const SLASH = 0x2f;
const BLANK = 0x20;
const A = 0x41;
const C = 0x43;
const M = 0x4d;

/** Returns the reason why a last line without a line end cannot be complete, or undefined if it can. */
export function findCut(bytes: Buffer, start: number, end: number): string | undefined {
	const length = end - start;
	if (bytes[start] === A && (length === 1 || isTornHeader(bytes, start, end))) {
		return 'the file ends inside the first line of a record';
	}
	if (isRecordStart(bytes, start, end)) {
		const isTorn = isVoid(bytes, start, end) && length < VOID_LENGTH;
		return isTorn ? 'the file ends inside the first line of a void record' : undefined;
	}
	if (bytes[start] !== M) return undefined;
	if (length === 1) return 'the file ends inside the name of a sub-record';
	const id = bytes[start + 1];
	if (hasColumns(bytes, start, end) && endsInTail(bytes, start, end)) {
		return `the file ends inside a token behind an M${String.fromCharCode(id)} line`;
	}
	// The second character of a line names its sub-record: 0x47 is the G of an MG, and 0x35 is the 5 of an M5.
	if (id === 0x47 && !isWholeMg(bytes, start, end)) return 'the file ends inside an MG sub-record';
	return id === 0x35 && endsInPayment(bytes, start, end)
		? 'the file ends inside the form of payment of an M5'
		: undefined;
}

function isTornHeader(bytes: Uint8Array, start: number, end: number): boolean {
	return end - start < 13 && bytes[start + 1] === A && (end - start === 2 || (bytes[start + 2] & 0xf0) === 0x30);
}

/**
 * Tells whether a line ends inside a form of payment. A blank and the passenger's name follow every form of payment, so
 * a line without them was cut off.
 */
function endsInPayment(bytes: Uint8Array, start: number, end: number): boolean {
	let at = end;
	while (at > start && bytes[at - 1] !== SLASH && bytes[at - 1] !== BLANK) at--;
	return at > start && at < end && bytes[at - 1] === SLASH && bytes[at] === C;
}
