// Pages that change files: they retry a failed file, and remove files after the user has confirmed it.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import { inputFolder, type JobRow } from '../../../../../work/jobs/job.ts';
import { jobFiles } from '../../../../../work/jobs/job-files.ts';
import { retryNote } from '../../../../../work/jobs/queue/retry-note.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { form, notice } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { requireNumbers } from './account-of.ts';
import { jobOf } from './job-of.ts';
import { filePath, folderOfCall, folderPath } from './places.ts';

export function changePages(rooms: HttpRooms): PortalPage[] {
	const right = 'files.change';
	return [
		{ path: '/portal/jobs/:id/retry', method: 'POST', right, handle: (call) => retry(call, rooms) },
		{ path: '/portal/jobs/:id/delete', method: 'GET', right, handle: (call) => askAboutJob(call, rooms) },
		{ path: '/portal/jobs/:id/delete', method: 'POST', right, handle: (call) => removeOfJob(call, rooms) },
		{ path: '/portal/files/:area/:filter/remove', method: 'GET', right, handle: (call) => askAboutFile(call, rooms) },
		{ path: '/portal/files/:area/:filter/remove', method: 'POST', right, handle: (call) => removeFile(call, rooms) },
	];
}

async function changedJob(call: PortalCall, rooms: HttpRooms): Promise<JobRow> {
	const job = await jobOf(call, rooms);
	if (job.operation === 'detokenize') requireNumbers(call);
	return job;
}

async function retry(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const job = await changedJob(call, rooms);
	const { files } = call.texts;
	const isQueued = await rooms.intake.retry(job, retryNote(rooms.audit, call.viewer.actor, job));
	if (isQueued) return { redirectTo: `/portal/jobs/${job.id}`, notice: files.retried };
	const { state } = await jobOf(call, rooms);
	throw new ServiceError('bad-input-data', { moreInfo: state === 'failed' ? files.inputGone : files.notFailed });
}

async function askAboutJob(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const job = await changedJob(call, rooms);
	const found = await jobFiles(rooms, job);
	const path = `/portal/jobs/${job.id}`;
	return question(call, { files: found, action: `${path}/delete`, back: path });
}

async function removeOfJob(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const job = await changedJob(call, rooms);
	const found = await jobFiles(rooms, job);
	await note(call, rooms, `job ${job.id}`, found);
	for (const file of found) await rooms.drops.remove(file);
	return { redirectTo: folderPath(inputFolder(job)), notice: call.texts.files.removed };
}

async function fileOf(call: PortalCall, rooms: HttpRooms): Promise<DropFile> {
	const folder = folderOfCall(call, rooms);
	if (folder.area === 'detokenize' || folder.area === 'detokenized') requireNumbers(call);
	const file = await rooms.drops.find(folder, call.query.name ?? '');
	if (!file) throw new ServiceError('uri-not-found');
	if (file.state === 'accepted') throw new ServiceError('bad-input-data', { moreInfo: call.texts.files.isWaiting });
	return file;
}

async function askAboutFile(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const file = await fileOf(call, rooms);
	return question(call, { files: [file], action: filePath(file, 'remove', file.name), back: folderPath(file) });
}

async function removeFile(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const file = await fileOf(call, rooms);
	await note(call, rooms, `file /${file.area}/${file.filter}/${file.name}`, [file]);
	if (!(await rooms.drops.remove(file)))
		throw new ServiceError('bad-input-data', { moreInfo: call.texts.files.hasChanged });
	return { redirectTo: folderPath(file), notice: call.texts.files.removed };
}

function question(
	call: PortalCall,
	{
		files: found,
		action,
		back,
	}: { readonly files: readonly DropFile[]; readonly action: string; readonly back: string },
): PortalAnswer {
	const { files, frame } = call.texts;
	const names = found.map(({ area, filter, name }): Html => html`<li>/${area}/${filter}/${name}</li>`);
	const body =
		found.length === 0
			? notice('plain', files.nothingLeft)
			: html`<p>${files.removeQuestion}</p><ul>${names}</ul>
<p>${files.tokensStay}</p>
${form(call, { action, body: '', submit: fillText(files.removeCount, { count: found.length }), tone: 'danger' })}`;
	const link = html`<p><a href="${back}">${frame.back}</a></p>`;
	const title = files.removeTitle;
	return { page: { title, section: 'files', body: html`${body}${link}`, help: '/docs/portal#a-file' } };
}

function note(call: PortalCall, { audit }: HttpRooms, subject: string, found: readonly DropFile[]): Promise<void> {
	const names = found.map(({ area, filter, name }) => `/${area}/${filter}/${name}`);
	return audit.record({
		actor: call.viewer.actor,
		action: 'file.remove',
		subject,
		details: { names: names.join(', ') },
	});
}
