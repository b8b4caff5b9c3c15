// Writes every CSV of ours. No cell begins like a formula: a spreadsheet would run a text of others, such as a name on a
// card, with the rights of whoever opens the file.

import { type Options, type Stringifier, stringify as stringifyStream } from 'csv-stringify';
import { stringify } from 'csv-stringify/sync';

export interface CsvLayout {
	readonly columns: readonly string[];
	/** True if the first line names the columns. */
	readonly header: boolean;
	/** `windows` ends lines in CRLF, `unix` in LF. */
	readonly lineEnd: 'windows' | 'unix';
}

/** Returns rows as CSV. A cell that begins with `=`, `+`, `-`, `@`, tab or CR gets `'` in front. */
export function csvRows(rows: readonly object[], layout: CsvLayout): Buffer {
	return Buffer.from(stringify([...rows], optionsOf(layout)));
}

/** Returns a stream that turns the rows written to it into the same CSV; lists in a cell are separated by semicolons. */
export function csvStream(layout: CsvLayout): Stringifier {
	return stringifyStream(optionsOf(layout));
}

function optionsOf({ columns, header, lineEnd }: CsvLayout): Options {
	return {
		header,
		columns: [...columns],
		record_delimiter: lineEnd,
		escape_formulas: true,
		cast: { boolean: String, object: (value) => (Array.isArray(value) ? value.join(';') : JSON.stringify(value)) },
	};
}
