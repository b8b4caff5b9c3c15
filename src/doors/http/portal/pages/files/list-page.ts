// The page of files: the files that were received, newest first, and a form that uploads one.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { AREAS, type Area } from '../../../../../work/drops/drop-names.ts';
import { inputFolder, type JobRow } from '../../../../../work/jobs/job.ts';
import type { JobPage } from '../../../../../work/jobs/job-store.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import { allOr } from '../../kinds/form-part.ts';
import { numberOf, pageUpTo } from '../../kinds/list.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { count, emptyState } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { FILES, folderPath } from './places.ts';
import { sftpHelp } from './sftp-line.ts';
import { jobBadge, jobPath, jobProgress, sizeText } from './shown-job.ts';
import { unfinishedPart } from './unfinished.ts';
import { uploadData, uploadForm, uploadScripts } from './upload-form.ts';

const PAGE_LENGTH = 50;
const SHOWN = ['waiting', 'failed', 'refused'] as const;
const { list } = pagesOf({ section: 'files', help: '/docs/portal#files' });

type Parts = Pick<PortalParts, 'drops' | 'formats' | 'jobs' | 'settings'>;

export function listPages({ drops, formats, jobs, settings }: Parts): PortalPage[] {
	const filters = [...formats.keys()];
	return list<JobRow>({
		path: FILES,
		right: 'files.see',
		title: 'files.title',
		above: (call) =>
			html`${call.viewer.has('files.upload') && uploadForm(call, filters)}<h2>${call.say('files.received')}</h2>`,
		search: {
			submit: 'files.search',
			filters: [
				{
					name: 'show',
					label: 'files.show',
					choices: ({ say }) => allOr(say('files.shows.all'), SHOWN, (name) => say(`files.shows.${name}`)),
				},
				{
					name: 'filter',
					label: 'files.format',
					choices: ({ say }) => allOr(say('files.allFormats'), filters, (name) => name),
				},
			],
		},
		async find(call, { values: { show, filter }, after }) {
			const page = { show: show as JobPage['show'], filter, beforeSeq: numberOf(after), limit: PAGE_LENGTH + 1 };
			const found = await jobs.list(principalOf(call).accountId, page);
			const before = after === undefined && (await unfinishedPart(call, drops));
			return { ...pageUpTo(PAGE_LENGTH, found, ({ seq }) => seq), before };
		},
		live: { id: 'jobs', kinds: ['jobs', 'uploads'] },
		caption: 'files.caption',
		columns: [
			['files.name', (job) => link(jobPath(job), job.name)],
			['files.folder', (job) => link(folderPath(inputFolder(job)), `/${job.operation}/${job.filter}`)],
			['files.state', (job, { say }) => html`${jobBadge(job, say)}${job.state === 'running' && jobProgress(job, say)}`],
			['files.size', ({ bytes_total }, { language }) => sizeText(bytes_total, language)],
			['files.cards', ({ cards }) => cards],
			['files.refused', refusedLink],
			['files.date', ({ created_at }) => new Date(created_at)],
		],
		none: (call, { isNarrowed }) =>
			isNarrowed
				? emptyState(call.say('files.noneFound'))
				: emptyState(call.say('files.noneYet'), sftpHelp(call, principalOf(call).userId, settings)),
		below: (call) => html`<h2 id="folders">${call.say('files.folders')}</h2>
<p>${call.say('files.foldersHint')}</p>
${folderTable(call, filters)}`,
		extras: (call) => (call.viewer.has('files.upload') ? { scripts: uploadScripts(), data: uploadData(call) } : {}),
	});
}

function refusedLink({ id, refused }: JobRow, { language }: PortalCall) {
	return refused === 0 ? 0 : link(`${jobPath({ id })}?only=refused#report`, count(refused, language));
}

function folderTable(call: PortalCall, filters: readonly string[]): Html {
	return tableOf<Area>(
		call,
		{
			caption: 'files.foldersCaption',
			columns: [
				['files.folder', (area) => html`<strong>/${area}</strong>`],
				['files.holds', (area, { say }) => say(`files.areas.${area}`)],
				['files.format', (area) => filters.map((filter) => html`${link(folderPath({ area, filter }), filter)} `)],
			],
			none: () => html``,
		},
		AREAS,
	);
}
