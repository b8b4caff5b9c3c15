// Reads a stored report page by page, however large it is: once the part before the entries, and then entries from any
// position in the file.

import { readJson } from '../../../base/read-json.ts';
import type { ReportEntry } from '../../../engine/report.ts';
import type { JobDocument } from '../job.ts';
import type { ReportHead } from './report.ts';
import type { CountedText } from './report-book.ts';

const READ_BYTES = 262_144;
/** The search for the entries of one page ends after about this many bytes; the next page continues from there. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const MAX_HEAD_BYTES = 1024 * 1024;
/** The line before the entries, as `report.ts` writes it. */
const ENTRIES = Buffer.from('\n\t"entries": [');
const LINE_BREAK = 0x0a;

/** The opened sealed file that holds the report. */
export interface ReportBytes {
	readonly size: number;
	read(offset: number, length: number): Promise<Buffer>;
}

export interface ReportTop extends Pick<JobDocument, 'error'> {
	readonly notices: readonly string[];
	readonly counts: ReportHead['counts'];
	readonly warnings: readonly CountedText[];
	readonly refusals: readonly CountedText[];
	readonly others: readonly CountedText[];
	readonly entriesOmitted: number;
}

/** Reads everything before the entries of a report, and returns it with the position at which the entries begin. */
export async function readReportTop(report: ReportBytes): Promise<{ readonly top: ReportTop; readonly start: number }> {
	let head: Buffer = Buffer.alloc(0);
	while (head.length < Math.min(report.size, MAX_HEAD_BYTES)) {
		head = Buffer.concat([head, await report.read(head.length, READ_BYTES)]);
		const at = head.indexOf(ENTRIES);
		if (at < 0) continue;
		const start = at + ENTRIES.length;
		return { top: JSON.parse(`${head.toString('utf8', 0, start)}]}`) as ReportTop, start };
	}
	throw new Error('internal error: a report without entries');
}

/**
 * Reads up to `limit` entries that `isShown` accepts, from a position: the start of the list or the `next` of an earlier
 * page. From a position inside an entry, it begins with the next entry.
 */
export async function readReportPage(
	report: ReportBytes,
	from: number,
	{ limit, isShown }: { readonly limit: number; isShown(entry: ReportEntry): boolean },
) {
	const entries: ReportEntry[] = [];
	let at = from;
	let rest: Buffer = Buffer.alloc(0);
	let read = from;
	while (read < report.size) {
		const more = await report.read(read, READ_BYTES);
		read += more.length;
		rest = rest.length === 0 ? more : Buffer.concat([rest, more]);
		for (let end = rest.indexOf(LINE_BREAK); end >= 0; end = rest.indexOf(LINE_BREAK)) {
			const entry = entryOf(rest.toString('utf8', 0, end));
			const isWanted = entry !== undefined && isShown(entry);
			if (isWanted && entries.length === limit) return { entries, next: at };
			if (isWanted) entries.push(entry);
			at += end + 1;
			rest = rest.subarray(end + 1);
		}
		if (at - from > MAX_SEARCHED_BYTES) return { entries, next: at };
	}
	return { entries, next: undefined };
}

/** Each entry is on a line of its own after two tabs. */
function entryOf(line: string): ReportEntry | undefined {
	const text = line.trim().replace(/,$/, '');
	if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
	return readJson(text) as ReportEntry | undefined;
}
