// A card number column can also hold words, zeros, counts and totals. These checks are made only for cells that do not
// begin like a number or are too short for one.

import { areDigits, isDigit, isLetter } from '../../../src/base/card/ascii.ts';
import { ValueNumbers } from '../../../src/base/card/finder/value-numbers.ts';
import { isMask, TOKEN_LENGTH } from '../../../src/base/card/number.ts';
import type { Cells } from './row.ts';

/** A value with fewer digits than this is not a card number (spec §2.4). */
export const SHORTEST_NUMBER = 12;
/** A row with at most this share of the header's cells is a row of another kind, for example one with totals. */
const SHORT_ROW_PART = 0.5;
/**
 * In a row of another kind, a value with more digits than this may be a card number that has lost some of its digits.
 */
const LONGEST_COUNT = 9;

/** A row with totals begins with one of these words, written here in lower case and without accents. */
const TOTAL_WORDS: ReadonlySet<string> = new Set(
	`total totals grand subtotal sub sum count records trailer footer end eof trl summe summen gesamt gesamtsumme zwischensumme
		endsumme anzahl saldo totaux sous somme suma totales totale totali somma totais soma t h`.split(/\s+/),
);

// This object is reused for every cell, and wipes what it has read.
const values = new ValueNumbers();

/** Tells whether a card number or a token stands in a cell. */
export function holdsCard(bytes: Buffer, start: number, end: number): boolean {
	return values.holdsCard(bytes, start, end);
}

/** Tells what a cell of a card number column holds. */
export type Oddity = 'number' | 'word' | 'total' | 'nothing';

/** Holds the facts about a row that these checks need. */
export interface OddRow {
	readonly start: number;
	readonly end: number;
	/** True if the row is one of the file's own control rows. */
	readonly isControl: boolean;
	readonly delimiter: number;
	/** The number of cells in the header row; 0 if there is no header row. */
	readonly columnCount: number;
}

/** Tells whether the value `[start, end)` is judged as a card number, or is something else. */
export function oddityOf(bytes: Buffer, start: number, end: number, row: OddRow, cells: Cells): Oddity {
	if (end - start === TOKEN_LENGTH || holdsCard(bytes, start, end)) return 'number';
	let digits = 0;
	let zeros = 0;
	let letters = 0;
	for (let i = start; i < end; i++) {
		const byte = bytes[i];
		if (isDigit(byte)) {
			digits++;
			if (byte === 0x30) zeros++;
		} else if (isMaskAt(bytes, i, end)) return hasOtherLetters(bytes, start, end) && digits === 0 ? 'word' : 'number';
		else if (byte >= 0x80 || isLetter(byte)) letters++;
	}
	if (digits === 0) return letters > 0 ? 'word' : 'nothing';
	if (digits >= SHORTEST_NUMBER) return 'number';
	if (zeros === digits || row.isControl) return 'nothing';
	return isTotal(bytes, row, cells, digits) ? 'total' : 'number';
}

/**
 * Tells whether a row holds totals: one of its cells begins with a word for a total, or the row has few cells and the
 * cell of the card number has few digits.
 */
function isTotal(bytes: Buffer, row: OddRow, cells: Cells, digits: number): boolean {
	for (let i = 0; i < cells.count; i++)
		if (TOTAL_WORDS.has(firstWord(bytes, cells.starts[i], cells.ends[i]))) return true;
	if (row.columnCount === 0 || digits > LONGEST_COUNT) return false;
	return countCells(bytes, row) <= row.columnCount * SHORT_ROW_PART;
}

function firstWord(bytes: Buffer, start: number, end: number): string {
	while (start < end && !isLetter(bytes[start])) {
		if (isDigit(bytes[start])) return '';
		start++;
	}
	let after = start;
	while (after < end && isLetter(bytes[after])) after++;
	return bytes.toString('latin1', start, after).toLowerCase();
}

function countCells(bytes: Buffer, { start, end, delimiter }: OddRow): number {
	let count = 1;
	for (let i = start; i < end; i++) if (bytes[i] === delimiter) count++;
	return count;
}

/** Tells whether a mask begins at `at`: a mask character, or a run of dots. */
function isMaskAt(bytes: Buffer, at: number, end: number): boolean {
	return isMask(bytes[at]) || (bytes[at] === 0x2e && at + 1 < end && bytes[at + 1] === 0x2e);
}

function hasOtherLetters(bytes: Buffer, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (isLetter(bytes[i]) && (bytes[i] | 0x20) !== 0x78) return true;
	return false;
}

/** Tells whether the value looks like a CVV: three or four digits. */
export function isCode(bytes: Buffer, start: number, end: number): boolean {
	return (end - start === 3 || end - start === 4) && areDigits(bytes, start, end);
}
