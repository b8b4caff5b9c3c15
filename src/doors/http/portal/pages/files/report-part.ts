// Shows the report of a file as tables: the reasons with their counts and first lines, and the entries with masked
// numbers.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ReportEntry } from '../../../../../engine/report.ts';
import type { CountedText } from '../../../../../work/jobs/attempts/report-book.ts';
import { type ReportTop, readReportPage, readReportTop } from '../../../../../work/jobs/attempts/report-reader.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { type TableKind, tableOf } from '../../kinds/columns.ts';
import { allOr } from '../../kinds/form-part.ts';
import { numberOf } from '../../kinds/list.ts';
import type { PortalParts } from '../../parts.ts';
import { choiceField, emptyState, pager, searchForm } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { isTextKey } from '../../texts.ts';
import { reportWords } from './report-words.ts';
import { jobPath } from './shown-job.ts';

const PAGE_LENGTH = 100;
const FILTERS = {
	refused: ({ outcome }: ReportEntry) => outcome === 'refused' || outcome === 'unresolved',
	warned: ({ warnings }: ReportEntry) => (warnings?.length ?? 0) > 0,
	others: ({ outcome }: ReportEntry) => outcome === 'otherNumber' || outcome === 'otherCode',
} as const;
type Only = keyof typeof FILTERS;

/** Returns the report of a job that has ended, or a note that there is none, for example because its retention is over. */
export async function reportPart(
	call: PortalCall,
	{ jobs, drops }: Pick<PortalParts, 'drops' | 'jobs'>,
	job: JobRow,
): Promise<Html> {
	const { say, query } = call;
	const stored = await jobs.reportOf(job, 'json');
	if (!stored) return html`<h2 id="report">${say('files.report')}</h2>${emptyState(say('files.noReport'))}`;
	const reader = await drops.open(stored.folder, stored.file);
	try {
		const { top, start } = await readReportTop(reader);
		const only = Object.hasOwn(FILTERS, query.only ?? '') ? (query.only as Only) : undefined;
		const page = await readReportPage(reader, Math.max(start, numberOf(query.after) ?? start), {
			limit: PAGE_LENGTH,
			isShown: only === undefined ? () => true : FILTERS[only],
		});
		const path = jobPath(job);
		const none = page.next !== undefined ? 'files.noneOnThisPage' : only ? 'files.noEntriesOfKind' : 'files.noEntries';
		return html`<h2 id="report">${say('files.report')}</h2>
${reportCounts(call, top)}
${searchForm({ action: path, submit: say('words.show'), body: onlyField(call, only) })}
${tableOf(call, { ...ENTRIES, none }, page.entries)}${pager(call, path, { only, after: query.after }, { next: page.next?.toString() })}`;
	} finally {
		await reader.close();
	}
}

function onlyField({ say }: PortalCall, only: Only | undefined): Html {
	const options = allOr(say('files.only.all'), Object.keys(FILTERS) as Only[], (name) => say(`files.only.${name}`));
	return choiceField({ name: 'only', label: say('files.show'), value: only, options });
}

/** Returns the notices about the file as a whole, and each reason with its count and its first lines. */
export function reportCounts(
	call: PortalCall,
	{ notices, refusals, warnings, others, entriesOmitted }: Omit<ReportTop, 'counts' | 'error'>,
): Html {
	const omitted = call.say('files.omitted', { count: entriesOmitted });
	return html`${notices.length > 0 && html`<ul>${notices.map((text) => html`<li>${reportWords(call, text)}</li>`)}</ul>`}${tableOf(
		call,
		REASONS,
		[...refusals, ...others, ...warnings],
	)}${entriesOmitted > 0 && html`<p>${omitted}</p>`}`;
}

const REASONS: TableKind<CountedText> = {
	caption: 'files.countedCaption',
	columns: [
		['files.reason', ({ text }, call) => reportWords(call, text)],
		['frame.sections.cards', ({ cards }) => cards],
		['files.lines', firstLines],
	],
};

function firstLines({ places, cards }: CountedText): string {
	const lines = [...new Set(places.map(({ line }) => line))].join(', ');
	return `${lines}${cards > places.length ? ' …' : ''}`;
}

/** The entries of a report. At most the first six and the last four digits of a number are shown. */
export const ENTRIES: TableKind<ReportEntry> = {
	caption: 'files.entriesCaption',
	columns: [
		['words.line', ({ line }) => String(line)],
		['files.record', ({ record = '' }) => String(record)],
		['words.outcome', outcomeOf],
		[
			'files.reason',
			({ reason, warnings = [] }, call) =>
				[...(reason === undefined ? [] : [reason]), ...warnings].map(
					(text) => html`<div>${reportWords(call, text)}</div>`,
				),
		],
		[
			'words.number',
			({ number, lastFour }) => html`<span class="digits">${number ?? (lastFour && `•••• ${lastFour}`)}</span>`,
		],
		['files.cardType', ({ cardType }) => cardType],
		['words.field', ({ field }) => field],
	],
};

function outcomeOf({ outcome }: ReportEntry, { say }: PortalCall): string {
	const key = `files.outcomes.${outcome}`;
	return isTextKey(key) ? say(key) : outcome;
}
