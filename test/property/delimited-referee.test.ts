import test from 'ava';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csv } from '../../formats/csv.ts';
import { runs } from '../helpers/runs.ts';
import { type ScannedFinding, type ScannedSpan, scanAll } from '../helpers/scan.ts';

interface Dialect {
	readonly delimiter: string;
	readonly quote: string;
	readonly escape: 'double' | 'backslash';
	readonly trim: boolean;
}

const dialects: fc.Arbitrary<Dialect> = fc.record({
	delimiter: fc.constantFrom(',', ';', '\t', '|'),
	quote: fc.constantFrom('"', "'"),
	escape: fc.constantFrom('double', 'backslash'),
	trim: fc.boolean(),
});

const windows = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

/** Generates any text; most of it is rubbish that a strict parser refuses, so it is kept short. */
const rubbish = (dialect: Dialect) => fc.array(pieces(dialect), { maxLength: 25 }).map((parts) => parts.join(''));

/** Generates rows as a careful writer leaves them, which a strict parser always accepts. */
const rows = (dialect: Dialect) =>
	fc
		.array(fc.tuple(fc.array(cell(dialect), { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\r\n', '\r')), {
			maxLength: 12,
		})
		.map((lines) => lines.map(([cells, lineEnd]) => cells.join(dialect.delimiter) + lineEnd).join(''));

function pieces({ delimiter, quote, ...dialect }: Dialect): fc.Arbitrary<string> {
	const escaped = dialect.escape === 'double' ? quote + quote : `\\${quote}`;
	return fc.constantFrom('a', '4111', ' ', '\u00e9', delimiter, quote, quote, escaped, '\r', '\n', '\r\n');
}

function cell({ delimiter, quote, ...dialect }: Dialect): fc.Arbitrary<string> {
	const text = fc.array(fc.constantFrom('a', '4111', ' ', delimiter, quote, '\n', '\r', '\\'), { maxLength: 6 });
	return fc.tuple(text, fc.boolean()).map(([parts, isQuoted]) => {
		const value = parts.join('');
		if (!isQuoted) return value.replace(/[^a4 1]/g, '');
		const sign = dialect.escape === 'double' ? quote : '\\';
		const bare = dialect.escape === 'double' ? value.replaceAll('\\', '') : value.replaceAll('\\', '\\\\');
		return quote + bare.replaceAll(quote, sign + quote) + quote;
	});
}

/** Returns the cells that csv-parse finds in the bytes, or undefined if it refuses them. */
function referee(bytes: Buffer, { delimiter, quote, ...dialect }: Dialect): string[][] | undefined {
	try {
		return parse(bytes, {
			delimiter,
			quote,
			escape: dialect.escape === 'double' ? quote : '\\',
			record_delimiter: ['\r\n', '\n', '\r'],
			relax_column_count: true,
			skip_empty_lines: true,
			encoding: 'latin1',
		});
	} catch (error) {
		if (error instanceof CsvError) return undefined;
		throw error;
	}
}

const COLUMNS = { cardNumber: { index: 1 }, nameOnCard: { index: 0 }, reference: { index: 3 } };

/** Removes the blanks around a value, which do not belong to it. */
const visible = (text = '') => text.replace(/^[\0- ]+|[\0- ]+$/g, '');
/** Tells whether a text has a wrapper, which only the scanner takes off, so that such a value is not compared. */
const hasWrapper = (text: string) => /^['"=]|['"]$/.test(text);

/** Compares the cards row by row, and returns how many values were compared. */
function compare(t: { is(actual: unknown, expected: unknown): void }, text: string, dialect: Dialect, sizes: number[]) {
	const bytes = Buffer.from(text, 'latin1');
	const records = referee(bytes, dialect);
	if (records === undefined) return 0;
	const options = csv.options.parse({ ...dialect, header: false, columns: COLUMNS });
	const findings = scanAll(csv, options, bytes, { windowSizes: sizes });
	const byRecord = new Map(findings.map((finding) => [finding.record, finding]));
	let compared = 0;
	for (const [index, record] of records.entries()) {
		const number = visible(record[1]);
		if (hasWrapper(number)) continue;
		const finding = byRecord.get(index + 1);
		// Where a word stands instead of a number, the scanner finds nothing.
		if (finding === undefined && !/\d/.test(number)) continue;
		t.is(plain(bytes, finding, finding?.number) ?? '', number);
		if (finding === undefined) continue;
		t.is(plain(bytes, finding, finding.name) ?? '', visible(record[0]));
		t.is(plain(bytes, finding, finding.reference) ?? '', visible(record[3]));
		compared += 3;
	}
	t.is(Math.max(0, ...byRecord.keys()) <= records.length, true);
	return compared;
}

function plain(bytes: Buffer, finding: ScannedFinding | undefined, span: ScannedSpan | undefined): string | undefined {
	if (finding === undefined || span === undefined) return undefined;
	if (!finding.isEscaped) return span.raw;
	return csv.decode!(bytes, span.offset, span.offset + span.length).toString('latin1');
}

test('cells of well-formed rows are those csv-parse sees, in any dialect and however the bytes are cut', (t) => {
	let compared = 0;
	fc.assert(
		fc.property(
			dialects.chain((dialect) => fc.tuple(fc.constant(dialect), rows(dialect), windows)),
			([dialect, text, sizes]) => {
				compared += compare(quiet, text, dialect, sizes);
			},
		),
		{ numRuns: runs(1500) },
	);
	t.true(compared > runs(3000), `${compared} values compared`);
});

test('the scanner reads random bytes as csv-parse does, if csv-parse accepts them', (t) => {
	let compared = 0;
	fc.assert(
		fc.property(
			dialects.chain((dialect) => fc.tuple(fc.constant(dialect), rubbish(dialect), windows)),
			([dialect, text, sizes]) => {
				compared += compare(quiet, text, dialect, sizes);
			},
		),
		{ numRuns: runs(8000) },
	);
	// The expected count is low, because csv-parse refuses most random bytes.
	t.true(compared > runs(50), `${compared} values compared`);
});

/** Throws, so that fast-check can shrink the case; ava would count thousands of assertions and go on after a failed one. */
const quiet = {
	is(actual: unknown, expected: unknown) {
		if (actual !== expected) throw new Error(`${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
	},
};
