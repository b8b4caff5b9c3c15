// The page of files: the files that were received, newest first, and a form that uploads one.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { AREAS } from '../../../../../work/drops/drop-names.ts';
import { inputFolder, type JobRow } from '../../../../../work/jobs/job.ts';
import { type JobPage, jobStore } from '../../../../../work/jobs/job-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { refreshing } from '../../live.ts';
import { choiceField, count, emptyState, pager, searchForm, table, time } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { principalOf } from './account-of.ts';
import { folderPath } from './places.ts';
import { sftpHelp } from './sftp-line.ts';
import { jobBadge, percentOf, sizeText } from './shown-job.ts';
import { uploadData, uploadForm, uploadScripts } from './upload-form.ts';

const PAGE_LENGTH = 50;
const REFRESH_SECONDS = 3;
export const SHOWN = ['waiting', 'failed', 'refused'] as const;

export function listPage(rooms: HttpRooms): PortalPage {
	return {
		path: '/portal/files',
		method: 'GET',
		right: 'files.see',
		async handle(call) {
			const jobs = await findJobs(call, rooms);
			const list = jobList(call, rooms, jobs);
			if (call.isLive) return { fragment: list };
			const mayUpload = call.viewer.has('files.upload');
			const { texts, query } = call;
			const body = html`${mayUpload && uploadForm(call, rooms)}
<h2>${texts.files.received}</h2>
${searchForm({
	action: '/portal/files',
	submit: texts.files.search,
	body: html`${showField(call)}${filterField(call, rooms, query.filter)}`,
})}
${list}
<h2 id="folders">${texts.files.folders}</h2>
<p>${texts.files.foldersHint}</p>
${folderTable(call, rooms)}`;
			return {
				page: {
					...{ title: texts.files.title, section: 'files', body, isLive: true, help: '/docs/portal#files' },
					...(mayUpload && { scripts: uploadScripts(), data: uploadData(call) }),
				},
			};
		},
	};
}

function showField({ texts: { files }, query }: PortalCall): Html {
	const options = SHOWN.map((name) => [name, files.shows[name]] as const);
	return choiceField({
		...{ name: 'show', label: files.show, value: query.show },
		options: [['', files.shows.all], ...options],
	});
}

/** Returns a field for choosing one format or all formats. */
export function filterField({ texts: { files } }: PortalCall, { formats }: HttpRooms, value: string | undefined): Html {
	const options = [...formats.keys()].map((name) => [name, name] as const);
	return choiceField({ name: 'filter', label: files.format, value, options: [['', files.allFormats], ...options] });
}

async function findJobs(call: PortalCall, { database, formats }: HttpRooms): Promise<JobRow[]> {
	const { show, filter, after } = call.query;
	const page: JobPage = {
		show: SHOWN.find((each) => each === show),
		filter: filter && formats.has(filter) ? filter : undefined,
		beforeSeq: after && /^\d{1,15}$/.test(after) ? Number(after) : undefined,
		// One row more than the page shows is read: if that row exists, there is a next page.
		limit: PAGE_LENGTH + 1,
	};
	return jobStore(database.knex).listBefore(principalOf(call).accountId, page);
}

/** Returns the list of jobs, which refreshes itself while one of them is waiting or running. */
function jobList(call: PortalCall, rooms: HttpRooms, found: readonly JobRow[]): Html {
	const { texts, language, query } = call;
	const { files } = texts;
	const jobs = found.slice(0, PAGE_LENGTH);
	const { show, filter, after } = query;
	const isNarrowed = [show, filter, after].some(Boolean);
	if (jobs.length === 0) {
		const help = !isNarrowed && sftpHelp(call, principalOf(call).userId, rooms);
		return html`<div id="jobs">${emptyState(isNarrowed ? files.noneFound : files.noneYet, help)}</div>`;
	}
	const rows = jobs.map((job) => [
		html`<a href="/portal/jobs/${job.id}">${job.name}</a>`,
		html`<a href="${folderPath(inputFolder(job))}">/${job.operation}/${job.filter}</a>`,
		html`${jobBadge(job, files)}${job.state === 'running' && html` <progress max="100" value="${percentOf(job)}" aria-label="${files.progress}"></progress>`}`,
		sizeText(job.bytes_total, language),
		count(job.cards, language),
		job.refused === 0
			? '0'
			: html`<a href="/portal/jobs/${job.id}?only=refused#report">${count(job.refused, language)}</a>`,
		time(job.created_at, language),
	]);
	const next = found.length > PAGE_LENGTH ? String(jobs.at(-1)!.seq) : undefined;
	const isMoving = !after && jobs.some(({ state }) => state === 'queued' || state === 'running');
	const given = Object.entries({ show, filter }).filter((pair): pair is [string, string] => !!pair[1]);
	const path = `/portal/files?${new URLSearchParams(given)}`;
	return html`<div id="jobs"${isMoving && refreshing(call, path, REFRESH_SECONDS)}>${table({
		caption: files.caption,
		head: [files.name, files.folder, files.state, files.size, files.cards, files.refused, files.date],
		rows,
	})}${pager(call, '/portal/files', { show, filter, after }, next)}</div>`;
}

function folderTable({ texts: { files } }: PortalCall, { formats }: HttpRooms): Html {
	const rows = AREAS.map((area) => [
		html`<strong>/${area}</strong>`,
		files.areas[area],
		[...formats.keys()].map((filter) => html`<a href="${folderPath({ area, filter })}">${filter}</a> `),
	]);
	return table({ caption: files.foldersCaption, head: [files.folder, files.holds, files.format], rows });
}
