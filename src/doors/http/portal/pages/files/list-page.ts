// The page of files: the files that were received, newest first, and a form that uploads one.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { AREAS, type Area } from '../../../../../work/drops/drop-names.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import { inputFolder, type JobRow } from '../../../../../work/jobs/job.ts';
import type { JobChoice } from '../../../../../work/jobs/job-page-store.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import { allOr } from '../../kinds/form-part.ts';
import { numberOf } from '../../kinds/list.ts';
import { fileOf, findPage, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { count, emptyState, Figure } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { FIRST_FORMAT, samplePart, sftpHelp } from './first-file.ts';
import { FILES, folderPath } from './places.ts';
import { jobBadge, jobPath, jobProgress, sizeText } from './shown-job.ts';
import { uploadData, uploadForm, uploadScripts } from './upload-form.ts';

const PAGE_LENGTH = 50;
const MOST_UNFINISHED = 20;
const SHOWN = ['waiting', 'queued', 'running', 'done', 'failed', 'refused'] as const satisfies JobChoice[];
const { list } = pagesOf({ section: 'files', help: '/docs/portal#files' });

type Parts = Pick<PortalParts, 'drops' | 'formats' | 'jobs' | 'settings'>;

const FILE = fileOf<JobRow>(
	...(['id', 'name'] as const),
	['folder', ({ operation, filter }) => `/${operation}/${filter}`],
	'state',
	['bytes', ({ bytes_total }) => bytes_total],
	...(['cards', 'refused', 'warned'] as const),
	['otherNumbers', ({ other_numbers }) => other_numbers],
	['receivedAt', ({ created_at }) => new Date(created_at)],
	['finishedAt', ({ finished_at }) => finished_at && new Date(finished_at)],
	['reason', ({ error_reason }) => error_reason],
);

export function listPages({ drops, formats, jobs, settings }: Parts): PortalPage[] {
	const rows: PagedRows<JobRow, number> = {
		length: PAGE_LENGTH,
		ask: (call, { show, filter, name, ...days }) =>
			jobs.ask({
				...{ accountId: principalOf(call).accountId, state: show as JobChoice | undefined, filter, namePart: name },
				...periodOf(days),
			}),
		keyOf: ({ seq }) => seq,
		readKey: numberOf,
	};
	const filters = [...formats.keys()];
	return list<JobRow>(FILES, 'files.see', {
		title: 'frame.sections.files',
		...paged(rows, FILE),
		above: async (call) =>
			html`${call.viewer.has('files.upload') && uploadForm(call, filters, await lastFolder(call, jobs))}<h2>${call.say('files.received')}</h2>`,
		search: {
			noNumber: 'cards.noNumber',
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
				{ name: 'name', label: 'files.namePart', type: 'search', maxLength: 255, autocomplete: 'off' },
				...DAYS,
			],
		},
		async find(call, asked) {
			const found = await findPage(rows, call, asked);
			if (asked.after !== undefined || asked.before !== undefined) return found;
			return { ...found, before: html`${await unfinishedPart(call, drops)}${found.before}` };
		},
		live: { id: 'jobs', kinds: ['jobs', 'uploads'] },
		caption: 'files.caption',
		columns: [
			['words.name', (job) => link(jobPath(job), job.name)],
			['words.folder', (job) => link(folderPath(inputFolder(job)), `/${job.operation}/${job.filter}`)],
			['words.state', (job, { say }) => html`${jobBadge(job, say)}${job.state === 'running' && jobProgress(job, say)}`],
			['words.size', ({ bytes_total }, { language }) => new Figure(sizeText(bytes_total, language))],
			['frame.sections.cards', ({ cards }) => cards],
			['files.refused', refusedLink],
			['files.date', ({ created_at }) => new Date(created_at)],
		],
		none: (call, { isNarrowed }) =>
			isNarrowed
				? emptyState(call.say('files.noneFound'))
				: emptyState(call.say('files.noneYet'), [
						settings.environment === 'sandbox' && call.viewer.has('files.upload') && samplePart(call),
						sftpHelp(call, principalOf(call).userId, settings),
					]),
		below: (call) => html`<h2 id="folders">${call.say('frame.sections.folders')}</h2>
<p>${call.say('files.foldersHint')}</p>
${folderTable(call, filters)}`,
		extras: (call) => (call.viewer.has('files.upload') ? { scripts: uploadScripts(), data: uploadData(call) } : {}),
	});
}

/** Returns the folder into which the latest file of the account came, because the next one is mostly like it. */
async function lastFolder(call: PortalCall, jobs: Parts['jobs']): Promise<string> {
	const [last] = await jobs.ask({ accountId: principalOf(call).accountId }).list({ limit: 1 });
	return last ? `${last.operation}/${last.filter}` : `tokenize/${FIRST_FORMAT}`;
}

function refusedLink({ id, refused }: JobRow, { language }: PortalCall) {
	return refused === 0 ? 0 : new Figure(link(`${jobPath({ id })}?only=refused#report`, count(refused, language)));
}

function folderTable(call: PortalCall, filters: readonly string[]): Html {
	return tableOf<Area>(
		call,
		{
			caption: 'files.foldersCaption',
			columns: [
				['words.folder', (area) => html`<strong>/${area}</strong>`],
				['files.holds', (area, { say }) => say(`files.areas.${area}`)],
				['files.format', (area) => filters.map((filter) => html`${link(folderPath({ area, filter }), filter)} `)],
			],
		},
		AREAS,
	);
}

/** Returns the table of the interrupted uploads of the account, with which whoever has the file goes on; nothing if there is none. */
async function unfinishedPart(call: PortalCall, drops: PortalParts['drops']): Promise<Html> {
	const files = await drops.listUnfinished(principalOf(call).accountId, MOST_UNFINISHED);
	if (files.length === 0) return html``;
	return tableOf<DropFile>(
		call,
		{
			caption: 'files.unfinishedCaption',
			columns: [
				['words.name', ({ name }) => name],
				['words.folder', (file) => link(folderPath(file), `/${file.area}/${file.filter}`)],
				['files.kept', ({ size }, { language }) => sizeText(size, language)],
				['files.interrupted', ({ modified_at }) => new Date(modified_at)],
				['files.actions', continueButton, ({ viewer }) => viewer.has('files.upload')],
			],
		},
		files,
	);
}

/** Returns the button whose script asks for the file and goes on with it. Without scripts it is not shown. */
function continueButton({ area, filter, name }: DropFile, { say }: PortalCall): Html {
	const label = say('files.continue');
	return html`<button type="button" class="plain scripted" data-continue="${area}/${filter}" data-name="${name}" aria-label="${label}: ${name}">${label}</button>`;
}
