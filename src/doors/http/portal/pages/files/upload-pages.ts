// Receives files from the script of the page, which goes on with them after interruptions, or from its form.

import { badInput } from '../../../../../base/errors.ts';
import { UploadError } from '../../../../../work/drops/upload.ts';
import { requireToken } from '../../csrf.ts';
import { readForm } from '../../multipart.ts';
import type { PortalParts } from '../../parts.ts';
import { type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { whileSignedIn } from '../../session-check.ts';
import { resumeKept } from './kept-upload.ts';
import { acceptUpload, asServiceError, checkUpload, writeAll } from './receive.ts';
import { answering, jsonAnswer, numberOf, targetOf } from './upload-call.ts';
import { UPLOAD_PATH } from './upload-form.ts';

type Parts = Pick<PortalParts, 'audit' | 'drops' | 'formats' | 'identity' | 'intake'>;

export function uploadPages(parts: Parts): PortalPage[] {
	return [
		post(
			`${UPLOAD_PATH}/:area/:filter`,
			{ right: 'files.upload', isStreamed: true },
			answering((call) => takeBytes(call, parts)),
		),
		post(UPLOAD_PATH, { right: 'files.upload', isStreamed: true, hasTokenInBody: true }, (call) =>
			takeForm(call, parts),
		),
	];
}

/**
 * Receives the bytes of a file from `offset` on. Bytes that were received before may be sent again; they must be the same, so
 * that two files of one name are not mixed. A file also goes on with offset 0, because browsers send a request again by
 * themselves, from its beginning, when a connection that they used before breaks. If bytes are still missing, those received are
 * kept; a complete file becomes a job.
 */
async function takeBytes(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { drops } = parts;
	const target = targetOf(call, parts);
	const [offset, size] = [numberOf(call, 'offset'), numberOf(call, 'size')];
	await checkUpload(call, parts, target);
	const upload = (await resumeKept(parts, target)) ?? (offset === 0 ? await drops.begin(target) : undefined);
	if (!upload || upload.size < offset) {
		if (upload) await drops.pause(upload);
		// The upload was changed or removed meanwhile. The answer tells the script from which byte to go on.
		return jsonAnswer({ size: upload?.size ?? 0 }, 409);
	}
	await writeAll(parts, upload, whileSignedIn(call), offset);
	if (upload.size > size) {
		await drops.pause(upload);
		throw new UploadError('changed', 'more came than the file has: send it again from its start');
	}
	if (upload.size < size) {
		await drops.pause(upload);
		return jsonAnswer({ size: upload.size });
	}
	const { id } = await acceptUpload(call, parts, upload);
	return jsonAnswer({ size, job: id });
}

/** Receives a form with any number of files, for browsers without JavaScript. */
async function takeForm(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { request, viewer, say } = call;
	const names: string[] = [];
	let jobId: string | undefined;
	const fields: Record<string, string> = {};
	try {
		for await (const part of readForm(whileSignedIn(call), request.headers['content-type'])) {
			if (part.fileName === undefined) {
				fields[part.name] ??= await part.text();
				continue;
			}
			// Our form sends its CSRF token before the files, so no file of a forged form is accepted.
			requireToken(viewer, fields._csrf);
			if (part.fileName === '') continue;
			const [area = '', filter = ''] = (fields.folder ?? '').split('/');
			const target = targetOf({ ...call, params: { area, filter } }, parts, part.fileName);
			await checkUpload(call, parts, target);
			const upload = await parts.drops.begin(target);
			await writeAll(parts, upload, part.bytes, 0);
			jobId = (await acceptUpload(call, parts, upload)).id;
			names.push(part.fileName);
		}
		requireToken(viewer, fields._csrf);
	} catch (error) {
		throw asServiceError(error);
	}
	if (jobId === undefined) throw badInput('file', say('files.chooseFile'));
	const notice = say('files.accepted', { names: names.join(', ') });
	return { redirectTo: names.length === 1 ? `/portal/jobs/${jobId}` : '/portal/files', notice };
}
