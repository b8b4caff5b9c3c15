// Writes the report of a pass as a document, in JSON and as CSV: first what is wrong with the file, then counts and
// first places, then as many entries as its largest size allows. docs/reports.md explains each field.

import { csvRows } from '../../../base/csv.ts';
import type { ReportEntry, Summary } from '../../../engine/report.ts';
import type { JobDocument } from '../job.ts';
import type { CountedText, ReportBook } from './report-book.ts';

/** A report may have at most this size plus a tenth of its input, unless all entries are requested. */
const FREE_BYTES = 64 * 1024;
const SHARE_OF_INPUT = 10;
/** Limits the notices in a report and their length, because a file may have thousands of columns with a notice each. */
const MAX_NOTICES = 50;
const MAX_NOTICE_CHARACTERS = 300;

export const CSV_COLUMNS = [
	...(['record', 'line', 'offset', 'outcome', 'reason', 'warnings', 'cardType', 'lastFour'] as const),
	...(['number', 'field', 'cards'] as const),
];

/** Receives the document piece by piece. */
export interface ReportWriter {
	write(bytes: Uint8Array): Promise<unknown>;
}

/** The facts at the beginning of a report, such as job and counts. Without a job there is no `id`. */
export interface ReportHead {
	readonly job: Omit<JobDocument, 'id'> & { readonly id?: string };
	/** The counts of the file; null if the file failed, because then nothing of it takes effect. */
	readonly counts: Summary | null;
}

/** Holds the parts of a report that JSON and CSV share. The size of the JSON decides how many entries both have. */
export interface ReportDocument {
	readonly head: string;
	readonly notices: readonly string[];
	/** This many of the collected entries are shown, from the first one on. */
	readonly shown: number;
	readonly book: ReportBook;
}

/** Composes a report from the facts that a `ReportBook` has collected. */
export async function reportDocument(head: ReportHead, book: ReportBook): Promise<ReportDocument> {
	if (book.hasAll) return documentOf(head, book, Number.POSITIVE_INFINITY, 0);
	const lines: string[] = [];
	for await (const some of book.lines()) lines.push(...some);
	// The head of this document is the longest one that the report can have, because its notice says that every entry
	// is left out.
	const longest = documentOf(head, book, 0, lines.length + book.omitted);
	let left = Math.floor(head.job.bytesTotal / SHARE_OF_INPUT) + FREE_BYTES;
	left -= Buffer.byteLength(longest.head) + Buffer.byteLength(END);
	let shown = 0;
	for (const line of lines) {
		left -= Buffer.byteLength(BETWEEN) + Buffer.byteLength(line);
		if (left < 0) break;
		shown++;
	}
	return documentOf(head, book, shown, lines.length - shown + book.omitted);
}

const BETWEEN = ',\n\t\t';
const END = '\n\t]\n}\n';

function documentOf({ job, counts }: ReportHead, book: ReportBook, shown: number, omitted: number): ReportDocument {
	const notices = shownNotices(counts?.notices ?? [], omitted);
	const members = { notices, ...job, counts: counts && { ...counts, notices } };
	const lists = { warnings: book.warnings, refusals: book.refusals, others: book.others };
	const head = [
		JSON.stringify(members, null, '\t').slice(0, -2),
		...Object.entries(lists).map(([name, list]) => `\t"${name}": ${listOf(list)}`),
		`\t"entriesOmitted": ${omitted}`,
		'\t"entries": [',
	];
	return { head: head.join(',\n'), notices, shown, book };
}

/** Writes each text with its places on one line, because a list that runs over several pages would be of no use. */
function listOf(list: readonly CountedText[]): string {
	return list.length === 0 ? '[]' : `[\n\t\t${list.map((each) => JSON.stringify(each)).join(BETWEEN)}\n\t]`;
}

function shownNotices(notices: readonly string[], omitted: number): string[] {
	const shown = notices.slice(0, MAX_NOTICES).map((text) => text.slice(0, MAX_NOTICE_CHARACTERS));
	const more = notices.length - shown.length;
	if (more > 0) shown.push(`There are ${more} more notices like these`);
	const figure = omitted.toLocaleString('en-US');
	const left = omitted === 1 ? '1 entry is' : `${figure} entries are`;
	if (omitted > 0) shown.push(`${left} left out of this report; the option report {"cards":"all"} brings every one`);
	return shown;
}

export async function writeJsonReport(writer: ReportWriter, document: ReportDocument): Promise<void> {
	await writer.write(Buffer.from(document.head));
	let isFirst = true;
	for await (const lines of shownLines(document)) {
		const text = lines.join(BETWEEN);
		await writer.write(Buffer.from(isFirst ? `\n\t\t${text}` : `${BETWEEN}${text}`));
		isFirst = false;
	}
	await writer.write(Buffer.from(isFirst ? ']\n}\n' : END));
}

/** Writes a report as CSV: a header line, the notices, the first places of each counted text, and the entries. */
export async function writeCsvReport(writer: ReportWriter, document: ReportDocument): Promise<void> {
	const { notices, book } = document;
	const counted = (list: readonly CountedText[], column: 'reason' | 'warnings') =>
		list.flatMap(({ text, cards, places }) =>
			places.map((place) => ({ ...place, outcome: 'counted', [column]: text, cards })),
		);
	const rows: CsvRow[] = [
		...notices.map((reason) => ({ outcome: 'notice', reason })),
		...[...counted(book.others, 'reason'), ...counted(book.refusals, 'reason'), ...counted(book.warnings, 'warnings')],
	];
	await writer.write(csvOf(rows, true));
	for await (const lines of shownLines(document)) {
		const entries = lines.map((line) => JSON.parse(line) as ReportEntry);
		await writer.write(csvOf(entries.map((entry) => ({ ...entry, warnings: entry.warnings?.join('; ') }))));
	}
}

type CsvRow = { readonly [column in (typeof CSV_COLUMNS)[number]]?: string | number };

function csvOf(rows: readonly CsvRow[], header = false): Buffer {
	return csvRows(rows, { columns: CSV_COLUMNS, header, lineEnd: 'unix' });
}

async function* shownLines({ book, shown }: ReportDocument): AsyncGenerator<readonly string[]> {
	let left = shown;
	for await (const lines of book.lines()) {
		const some = lines.length > left ? lines.slice(0, left) : lines;
		left -= some.length;
		if (some.length > 0) yield some;
		if (left === 0) return;
	}
}
