// The page of one file: its progress, its outcome, and its report.

import type { Html } from '../../../../../base/pages/html.ts';
import { html } from '../../../../../base/pages/html.ts';
import { inputFolder, type JobRow, outputFolder } from '../../../../../work/jobs/job.ts';
import { findOutput, findReport } from '../../../../../work/jobs/job-files.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { refreshing } from '../../live.ts';
import { count, definitions, form, notice, time } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { mayHaveNumbers } from './account-of.ts';
import { jobOf } from './job-of.ts';
import { folderPath } from './places.ts';
import { reportPart } from './report-part.ts';
import { jobBadge, percentOf, sizeText } from './shown-job.ts';

const REFRESH_SECONDS = 2;

export function jobPage(rooms: HttpRooms): PortalPage {
	return {
		path: '/portal/jobs/:id',
		method: 'GET',
		right: 'files.see',
		async handle(call) {
			const job = await jobOf(call, rooms);
			const body = await jobBody(call, rooms, job);
			if (call.isLive) return { fragment: body };
			return { page: { title: job.name, section: 'files', body, isLive: true, help: '/docs/portal#a-file' } };
		},
	};
}

async function jobBody(call: PortalCall, rooms: HttpRooms, job: JobRow): Promise<Html> {
	const path = `/portal/jobs/${job.id}`;
	const isMoving = job.state === 'queued' || job.state === 'running';
	const attributes = isMoving && refreshing(call, path, REFRESH_SECONDS);
	return html`<div id="job"${attributes}>${facts(call, job)}${failure(call, job)}${await actions(call, rooms, job)}${
		!isMoving && (await reportPart(call, rooms, job))
	}</div>`;
}

function facts({ texts: { files }, language }: PortalCall, job: JobRow): Html {
	const percent = percentOf(job);
	const shownState = html`${jobBadge(job, files)}${
		job.state === 'running' &&
		html` <progress max="100" value="${percent}" aria-label="${files.progress}"></progress> ${percent} %`
	}`;
	const folder = inputFolder(job);
	const ended = job.finished_at === null ? [] : [[files.ended, time(job.finished_at, language)] as const];
	return definitions([
		[files.state, shownState],
		[files.folder, html`<a href="${folderPath(folder)}">/${folder.area}/${folder.filter}</a>`],
		[files.size, sizeText(job.bytes_total, language)],
		[files.date, time(job.created_at, language)],
		...ended,
		[files.cards, count(job.cards, language)],
		[files.refused, count(job.refused, language)],
		[files.warned, count(job.warned, language)],
		[files.others, count(job.other_numbers, language)],
	]);
}

function failure({ texts: { files } }: PortalCall, job: JobRow): Html | false {
	const { state, error_message: message, error_line: line, error_record: record, last_message: last } = job;
	if (state === 'failed') {
		const place = [record !== null && `${files.record} ${record}`, line !== null && `${files.line} ${line}`].filter(
			Boolean,
		);
		return notice(
			'bad',
			`${message ?? job.error_reason} ${place.length > 0 ? `(${place.join(', ')})` : ''} ${files.failedHint}`,
		);
	}
	return state === 'queued' && last !== null && notice('plain', `${files.triedBefore} ${last}`);
}

async function actions(call: PortalCall, rooms: HttpRooms, job: JobRow): Promise<Html> {
	const { viewer, texts } = call;
	const { files } = texts;
	const path = `/portal/jobs/${job.id}`;
	const link = (href: string, label: string) => html`<a class="button plain" href="${href}">${label}</a> `;
	const mayFetch = viewer.has('files.fetch');
	const isInClear = job.operation === 'detokenize';
	const hasOutput = (await findOutput(rooms, job)) !== undefined;
	const [hasJson, hasCsv] = await Promise.all(
		(['json', 'csv'] as const).map(async (format) => mayFetch && (await findReport(rooms, job, format)) !== undefined),
	);
	const isOutputShown = hasOutput && (isInClear ? mayHaveNumbers(viewer) : mayFetch);
	const isLacking = hasOutput && isInClear && viewer.role === 'manager' && !mayHaveNumbers(viewer);
	const isEnded = job.state === 'failed' || job.state === 'done';
	const mayChange = viewer.has('files.change') && isEnded && (!isInClear || mayHaveNumbers(viewer));
	return html`<div class="actions">${isOutputShown && link(`${path}/output`, files.fetchOutput)}${
		hasJson && link(`${path}/report?format=json`, files.fetchReport)
	}${hasCsv && link(`${path}/report?format=csv`, files.fetchCsv)}${
		mayChange && job.state === 'failed' && form(call, { action: `${path}/retry`, body: '', submit: files.retry })
	}${mayChange && link(`${path}/delete`, files.remove)}</div>
${isLacking && notice('plain', files.needsFactor)}${
	job.state === 'done' && html`<p><small>${files.outputAt} /${outputFolder(job).area}/${job.filter}/</small></p>`
}`;
}
