// Shows the report of a file as tables: the reasons with their counts and first lines, and the entries with masked
// numbers.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { ReportEntry } from '../../../../../engine/report.ts';
import type { CountedText } from '../../../../../work/jobs/attempts/report-book.ts';
import { type ReportTop, readReportPage, readReportTop } from '../../../../../work/jobs/attempts/report-reader.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { findReport } from '../../../../../work/jobs/job-files.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { choiceField, count, emptyState, pager, searchForm, table } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const PAGE_LENGTH = 100;
const FILTERS = {
	refused: ({ outcome }: ReportEntry) => outcome === 'refused' || outcome === 'unresolved',
	warned: ({ warnings }: ReportEntry) => (warnings?.length ?? 0) > 0,
	others: ({ outcome }: ReportEntry) => outcome === 'otherNumber' || outcome === 'otherCode',
} as const;
type Only = keyof typeof FILTERS;

/** Returns the report of a job that has ended, or a note that there is none, for example because its retention is over. */
export async function reportPart(call: PortalCall, rooms: HttpRooms, job: JobRow): Promise<Html> {
	const { texts, query } = call;
	const { files } = texts;
	const stored = await findReport(rooms, job, 'json');
	if (!stored) return html`<h2 id="report">${files.report}</h2>${emptyState(files.noReport)}`;
	const reader = await rooms.drops.open(stored.folder, stored.file);
	try {
		const { top, start } = await readReportTop(reader);
		const only = Object.hasOwn(FILTERS, query.only ?? '') ? (query.only as Only) : undefined;
		const after = /^\d{1,15}$/.test(query.after ?? '') ? Number(query.after) : start;
		const page = await readReportPage(reader, Math.max(start, after), {
			limit: PAGE_LENGTH,
			isShown: only === undefined ? () => true : FILTERS[only],
		});
		const path = `/portal/jobs/${job.id}`;
		return html`<h2 id="report">${files.report}</h2>
${reportCounts(call, top)}
${searchForm({ action: path, submit: files.search, body: onlyField(call, only) })}
${
	page.entries.length === 0
		? emptyState(page.next === undefined ? (only ? files.noEntriesOfKind : files.noEntries) : files.noneOnThisPage)
		: entryTable(call, page.entries)
}${pager(call, path, { only, after: query.after }, page.next?.toString())}`;
	} finally {
		await reader.close();
	}
}

function onlyField({ texts: { files } }: PortalCall, only: Only | undefined): Html {
	const options = (Object.keys(FILTERS) as Only[]).map((name) => [name, files.only[name]] as const);
	return choiceField({ name: 'only', label: files.show, value: only, options: [['', files.only.all], ...options] });
}

/** Returns the notices about the file as a whole, and each reason with its count and its first lines. */
export function reportCounts(
	{ texts: { files }, language }: Pick<PortalCall, 'texts' | 'language'>,
	{ notices, refusals, warnings, others, entriesOmitted }: Omit<ReportTop, 'counts' | 'error'>,
): Html {
	const counted = [...refusals, ...others, ...warnings];
	const placesOf = ({ places, cards }: CountedText) => {
		const lines = [...new Set(places.map(({ line }) => line))].join(', ');
		return `${lines}${cards > places.length ? ' …' : ''}`;
	};
	return html`${notices.length > 0 && html`<ul>${notices.map((text) => html`<li>${text}</li>`)}</ul>`}${
		counted.length > 0 &&
		table({
			caption: files.countedCaption,
			head: [files.reason, files.cards, files.lines],
			rows: counted.map((each) => [each.text, count(each.cards, language), placesOf(each)]),
		})
	}${entriesOmitted > 0 && html`<p>${fillText(files.omitted, { count: count(entriesOmitted, language) })}</p>`}`;
}

/** Returns the table of entries. It shows at most the first six and the last four digits of a number. */
export function entryTable({ texts: { files } }: Pick<PortalCall, 'texts'>, entries: readonly ReportEntry[]): Html {
	const rows = entries.map((entry) => [
		entry.line,
		entry.record ?? '',
		files.outcomes[entry.outcome] ?? entry.outcome,
		[entry.reason, ...(entry.warnings ?? [])].filter(Boolean).join('; '),
		html`<span class="digits">${entry.number ?? (entry.lastFour === undefined ? '' : `•••• ${entry.lastFour}`)}</span>`,
		entry.cardType ?? '',
		entry.field ?? '',
	]);
	const head = [files.line, files.record, files.outcome, files.reason, files.number, files.cardType, files.field];
	return table({ caption: files.entriesCaption, head, rows });
}
