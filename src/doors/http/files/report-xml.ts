// Writes the stored report of a job as XML, entry by entry, so that memory stays constant however long the report is.

import { type ReportBytes, readReportPage, readReportTop } from '../../../work/jobs/attempts/report-reader.ts';
import { type ItemNames, writeXml } from '../negotiation/xml-writer.ts';

export const REPORT_ROOT = 'JobReport';
const ENTRY = 'entry';
export const REPORT_ITEMS: ItemNames = {
	notices: 'notice',
	warnings: 'warning',
	refusals: 'refusal',
	others: 'other',
	places: 'place',
	entries: ENTRY,
};
const ENTRIES_AT_ONCE = 1_000;
const END = `</${REPORT_ROOT}>`;

/** Yields a report as an XML document with the members of the JSON, in the same order (shapes §4). */
export async function* xmlReport(report: ReportBytes): AsyncGenerator<Buffer> {
	const { top, start } = await readReportTop(report);
	const head = writeXml(REPORT_ROOT, { ...top, entries: undefined }, REPORT_ITEMS);
	yield Buffer.from(`${head.slice(0, -END.length)}<entries>`);
	for (let from: number | undefined = start; from !== undefined; ) {
		const page = await readReportPage(report, from, { limit: ENTRIES_AT_ONCE, isShown: () => true });
		if (page.entries.length > 0) {
			yield Buffer.from(page.entries.map((entry) => writeXml(ENTRY, entry, REPORT_ITEMS)).join(''));
		}
		from = page.next;
	}
	yield Buffer.from(`</entries>${END}`);
}
