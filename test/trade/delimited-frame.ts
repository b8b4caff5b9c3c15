// Writes what is around the cells of a delimited file: delimiters, quotes, line ends, title lines and totals.

import type { Dice } from './dice.ts';
import { type Encoding, mapText, type Pieces, plainText } from './draft.ts';

export interface Frame {
	readonly delimiter: string;
	readonly lineEnd: string;
	/** The byte order mark, or an empty text. */
	readonly mark: string;
	/** Joins rows of cells into text. Cells are quoted where they must be and, in some files, everywhere or at random. */
	join(rows: readonly (readonly Pieces[])[], dice: Dice): Pieces;
}

export function framing(dice: Dice, encoding: Encoding): Frame {
	const delimiter = dice.pick([',', ',', ';', ';', '\t', '|']);
	const lineEnd = dice.pick(['\n', '\r\n', '\r\n', '\r']);
	const quoting = dice.pick(['needed', 'needed', 'all', 'some']);
	const hasLastEnd = dice.percent(80);
	const quoted = (cell: Pieces): Pieces => ['"', ...mapText(cell, (text) => text.replaceAll('"', '""')), '"'];
	return {
		delimiter,
		lineEnd,
		mark: encoding === 'utf8' && dice.percent(25) ? '\ufeff' : '',
		join(rows) {
			const all: Pieces[number][] = [];
			for (const [at, row] of rows.entries()) {
				for (const [column, cell] of row.entries()) {
					if (column > 0) all.push(delimiter);
					const text = plainText(cell);
					const mustQuote = text.includes(delimiter) || /[\r\n]/.test(text) || text.startsWith('"');
					const isQuoted = mustQuote || quoting === 'all' || (quoting === 'some' && dice.percent(30));
					// A formula needs no quotes around it, since Excel writes formulas without them.
					if (isQuoted) all.push(...quoted(cell));
					else all.push(...cell);
				}
				if (hasLastEnd || at < rows.length - 1) all.push(lineEnd);
			}
			return all;
		},
	};
}

/** Returns the lines above the header, as reports of hotel systems have them; most files have none. */
export function titleLines(dice: Dice, frame: Frame, width: number): string[] {
	if (dice.percent(4)) return [`sep=${frame.delimiter}${frame.lineEnd}`];
	if (dice.percent(70)) return [];
	const filler = frame.delimiter.repeat(dice.percent(50) ? Math.max(0, width - 1) : 0);
	const lines = [
		'Reservations 2026-11-21',
		'Hotel Example',
		'',
		'Created by: FRONT DESK',
		'Zeitraum: 01.11.2026 - 30.11.2026',
	];
	return dice
		.shuffled(lines)
		.slice(0, dice.between(1, 4))
		.map((line) => `${line}${filler}${frame.lineEnd}`);
}

/** Returns the last row of a report, which has a word for the total and a sum. */
export function totalRow(dice: Dice, width: number): Pieces[] {
	const row: Pieces[] = Array.from({ length: width }, () => []);
	row[0] = [dice.pick(['Total', 'Summe', 'TOTAL', 'Totale', 'Total général'])];
	row[width - 1] = [`${dice.between(100, 9999)}.${dice.digits(2)}`];
	return row;
}
