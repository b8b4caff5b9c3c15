import test from 'ava';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { emptySummary, type ReportEntry } from '../../src/engine/report.ts';
import {
	CSV_COLUMNS,
	type ReportHead,
	reportDocument,
	writeCsvReport,
	writeJsonReport,
} from '../../src/work/jobs/attempts/report.ts';
import { MAX_ENTRIES, ReportBook } from '../../src/work/jobs/attempts/report-book.ts';

const JOB: ReportHead['job'] = {
	...{ state: 'done', filter: 'CSV', operation: 'tokenize', name: 'may.csv', bytesRead: 0, bytesTotal: 0 },
	...{ cards: 0, refused: 0, warned: 0, otherNumbers: 0, createdAt: '', finishedAt: null, error: null },
};

/** Returns the report of a file of `bytesTotal` bytes, as JSON and as CSV. */
async function written(book: ReportBook, bytesTotal: number, notices: readonly string[] = []) {
	await book.finish();
	const document = await reportDocument({ job: { ...JOB, bytesTotal }, counts: { ...emptySummary(), notices } }, book);
	const take = async (write: typeof writeJsonReport) => {
		const pieces: Uint8Array[] = [];
		await write({ write: async (bytes) => void pieces.push(Buffer.from(bytes)) }, document);
		return Buffer.concat(pieces);
	};
	return { json: await take(writeJsonReport), csv: await take(writeCsvReport) };
}

const refusedAt = (line: number): ReportEntry => ({
	...{ record: line, line, offset: line * 30, outcome: 'refused', reason: 'Luhn (Mod10) error', lastFour: '1112' },
});

test('a million warnings make a report of a few hundred bytes', async (t) => {
	const book = new ReportBook();
	for (let line = 2; line < 1_000_002; line++)
		book.warned(['The Card type is missing'], { record: line, line }, line * 20);
	const { json } = await written(book, 20_000_000);
	t.true(json.length < 2_000);
	const report = JSON.parse(json.toString());
	t.is(report.warnings[0].cards, 1_000_000);
	t.is(report.warnings[0].places.length, 10);
	t.deepEqual([report.entries, report.entriesOmitted], [[], 0]);
});

test('1,000 entries are given in full, the rest is counted, and a notice at the top says how to get all', async (t) => {
	const book = new ReportBook();
	for (let line = 1; line <= 1_500; line++) book.entry(refusedAt(line));
	const { json, csv } = await written(book, 10_000_000, ['A notice']);
	const report = JSON.parse(json.toString());
	t.deepEqual(Object.keys(report).at(0), 'notices');
	t.deepEqual(report.notices, [
		'A notice',
		'500 entries are left out of this report; the option report {"cards":"all"} brings every one',
	]);
	t.is(report.entries.length, MAX_ENTRIES);
	t.is(report.entriesOmitted, 500);
	t.like(report.refusals[0], { text: 'Luhn (Mod10) error', cards: 1_500 });
	const rows: Record<string, string>[] = parse(csv, { columns: true });
	t.deepEqual(
		rows.slice(0, 3).map(({ outcome, reason, line, cards }) => [outcome, reason, line, cards]),
		[
			['notice', 'A notice', '', ''],
			['notice', report.notices[1], '', ''],
			['counted', 'Luhn (Mod10) error', '1', '1500'],
		],
	);
	t.is(rows.filter(({ outcome }) => outcome === 'refused').length, MAX_ENTRIES);
});

test('a report in CSV begins no cell like a formula', async (t) => {
	const signs = ['=', '+', '-', '@', '\t', '\r'];
	const { csv } = await written(
		new ReportBook(),
		1_000,
		signs.map((sign) => `${sign}1+1`),
	);
	const rows: Record<string, string>[] = parse(csv, { columns: true });
	t.deepEqual(
		rows.map(({ reason }) => reason),
		signs.map((sign) => `'${sign}1+1`),
	);
});

test('with a store every entry is there, however long the report becomes', async (t) => {
	const lines: string[] = [];
	const book = new ReportBook({
		add: (line) => void lines.push(line),
		finish: async () => {},
		lines: async function* () {
			for (let at = 0; at < lines.length; at += 700) yield lines.slice(at, at + 700);
		},
		remove: async () => {},
	});
	for (let line = 1; line <= 5_000; line++) book.entry(refusedAt(line));
	const report = JSON.parse((await written(book, 0)).json.toString());
	t.deepEqual(report.entries.length, 5_000);
	t.is(report.entriesOmitted, 0);
});

test('numbers outside the places for cards have no record, and stand apart from refused cards', async (t) => {
	const book = new ReportBook();
	const other = {
		line: 3,
		offset: 90,
		outcome: 'otherNumber',
		reason: 'Looks like a card',
		number: '411111******1111',
	} as const;
	book.entry({ ...other, field: 'Remark' });
	book.entry(refusedAt(4));
	const { json, csv } = await written(book, 1_000);
	const report = JSON.parse(json.toString());
	const places = [{ line: 3, offset: 90, field: 'Remark' }];
	t.deepEqual(report.others, [{ text: 'Looks like a card', cards: 1, places }]);
	t.deepEqual(report.refusals.length, 1);
	t.deepEqual(report.entries[0], { ...other, field: 'Remark' });
	const rows: Record<string, string>[] = parse(csv, { columns: true });
	t.deepEqual(Object.keys(rows[0]), CSV_COLUMNS);
	t.like(rows[2], { outcome: 'otherNumber', record: '', number: '411111******1111', field: 'Remark' });
});

const text = fc.oneof(
	fc.constantFrom('Luhn (Mod10) error', 'Expired card', 'a "quoted", text\n'),
	fc.string({ maxLength: 60 }),
);
const told = fc.record({
	entry: fc.record(
		{
			...{ record: fc.nat(), line: fc.nat(), offset: fc.nat() },
			outcome: fc.constantFrom('refused', 'unresolved', 'otherNumber', 'tokenized'),
			...{ reason: text, warnings: fc.array(text, { maxLength: 2 }), field: fc.string({ maxLength: 40 }) },
		},
		{ requiredKeys: ['line', 'offset', 'outcome'] },
	),
	times: fc.integer({ min: 1, max: 400 }),
});

test('a report is never above a tenth of the input and 64 KiB, and leaves out no more entries than it says', async (t) => {
	const property = fc.asyncProperty(
		fc.array(told, { maxLength: 40 }),
		fc.nat(5_000_000),
		fc.array(fc.string({ maxLength: 300 }), { maxLength: 100 }),
		async (tellings, bytesTotal, notices) => {
			const book = new ReportBook();
			let entries = 0;
			for (const { entry, times } of tellings) {
				for (let n = 0; n < times; n++) book.entry(entry as ReportEntry);
				entries += times;
			}
			const { json, csv } = await written(book, bytesTotal, notices);
			const most = Math.floor(bytesTotal / 10) + 65_536;
			t.true(json.length <= most, `${json.length} bytes of JSON, ${most} at most`);
			t.true(csv.length <= most, `${csv.length} bytes of CSV, ${most} at most`);
			const report = JSON.parse(json.toString());
			t.is(report.entries.length + report.entriesOmitted, entries);
			const rows: Record<string, string>[] = parse(csv, { columns: true, relaxColumnCount: false });
			const shown = rows.filter(({ outcome }) => outcome !== 'notice' && outcome !== 'counted');
			t.is(shown.length, report.entries.length);
		},
	);
	await fc.assert(property, { numRuns: 60 });
});
