// Receives files from the script of the page, which goes on with them after interruptions, or from its form.

import { ServiceError } from '../../../../../base/errors.ts';
import { UploadError } from '../../../../../work/drops/upload.ts';
import { maskedToken, requireToken } from '../../csrf.ts';
import { failureOf } from '../../failures.ts';
import { readForm } from '../../multipart.ts';
import { principalOf, requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { SessionEndedError } from '../../refusals.ts';
import { discardRest } from './discard-rest.ts';
import { discardKept, findKept, hashKept } from './kept-upload.ts';
import { inputFolderOf } from './places.ts';
import { acceptUpload, asServiceError, checkUpload, writeAll } from './receive.ts';
import { type SessionParts, whileSignedIn } from './signed-in.ts';
import { UPLOAD_PATH } from './upload-form.ts';

type Parts = Pick<PortalParts, 'audit' | 'drops' | 'formats' | 'identity' | 'intake'> & SessionParts;

export function uploadPages(parts: Parts): PortalPage[] {
	return [
		{
			path: `${UPLOAD_PATH}/:area/:filter`,
			method: 'GET',
			right: 'files.upload',
			handle: (call) => keptOf(call, parts).catch((error: unknown) => refuse(call, error)),
		},
		{
			path: `${UPLOAD_PATH}/:area/:filter`,
			method: 'POST',
			right: 'files.upload',
			isStreamed: true,
			handle: (call) => takeBytes(call, parts).catch((error: unknown) => refuse(call, error)),
		},
		{
			path: `${UPLOAD_PATH}/:area/:filter/discard`,
			method: 'POST',
			right: 'files.upload',
			handle: (call) => discard(call, parts).catch((error: unknown) => refuse(call, error)),
		},
		{
			path: UPLOAD_PATH,
			method: 'POST',
			right: 'files.upload',
			isStreamed: true,
			hasTokenInBody: true,
			handle: (call) => takeForm(call, parts),
		},
	];
}

/** The header with the name of the file. It is not in the URL, because it may hold a card number and proxies log URLs. */
const NAME_HEADER = 'x-file-name';

function nameOf({ request }: PortalCall): string {
	const given = request.headers[NAME_HEADER];
	try {
		return decodeURIComponent(typeof given === 'string' ? given : '');
	} catch {
		throw new ServiceError('bad-input-data', { field: NAME_HEADER, problem: 'expected UTF-8, percent-encoded' });
	}
}

function targetOf(call: PortalCall, parts: Parts, name = nameOf(call)) {
	return { folder: inputFolderOf(call, parts.formats), name, createdBy: principalOf(call).userId };
}

/**
 * Answers how much of an unfinished upload has been received, and with `hash=1` also the hash of it. The answer has the
 * user and the CSRF token of the present session, which may be a new one, so that the script can go on.
 */
async function keptOf(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const target = targetOf(call, parts);
	const { user, session } = call.viewer;
	const own = { user: user.id, csrf: maskedToken(session.csrf) };
	if (call.query.hash === undefined) {
		const file = await findKept(parts, target);
		return answerJson({ size: file?.size ?? 0, ...own });
	}
	await checkUpload(call, parts, target);
	return answerJson({ ...(await hashKept(parts, target)), ...own });
}

async function discard(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const target = targetOf(call, parts);
	if (target.folder.area === 'detokenize') requireNumbers(call);
	await discardKept(call, parts, target);
	return answerJson({ size: 0 });
}

/**
 * Receives the bytes of a file from `offset` on. With offset 0 the file begins anew. Bytes that were received before may be
 * sent again; they must be the same, so that two files of one name are not mixed. If bytes are still missing, those received
 * are kept; a complete file becomes a job.
 */
async function takeBytes(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { drops } = parts;
	const target = targetOf(call, parts);
	const [offset, size] = [numberOf(call, 'offset'), numberOf(call, 'size')];
	await checkUpload(call, parts, target);
	const upload = offset === 0 ? await drops.begin(target) : await drops.resume(target);
	if (!upload || upload.size < offset) {
		if (upload) await drops.pause(upload);
		// The upload was changed or removed meanwhile. The answer tells the script from which byte to go on.
		return answerJson({ size: upload?.size ?? 0 }, 409);
	}
	await writeAll(parts, upload, whileSignedIn(call.request, parts), offset);
	if (upload.size > size) {
		await drops.pause(upload);
		throw new UploadError('changed', 'more came than the file has: send it again from its start');
	}
	if (upload.size < size) {
		await drops.pause(upload);
		return answerJson({ size: upload.size });
	}
	const { id } = await acceptUpload(call, parts, upload);
	return answerJson({ size, job: id });
}

function numberOf({ query }: PortalCall, name: 'offset' | 'size'): number {
	if (/^\d{1,15}$/.test(query[name] ?? '')) return Number(query[name]);
	throw new ServiceError('bad-input-data', { field: name, problem: 'must be a whole number in digits alone' });
}

/** Receives a form with any number of files, for browsers without JavaScript. */
async function takeForm(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { request, viewer, say } = call;
	const names: string[] = [];
	let jobId: string | undefined;
	const fields: Record<string, string> = {};
	try {
		for await (const part of readForm(whileSignedIn(request, parts), request.headers['content-type'])) {
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
	if (jobId === undefined)
		throw new ServiceError('bad-input-data', { field: 'file', problem: say('files.chooseFile') });
	const notice = say('files.accepted', { names: names.join(', ') });
	return { redirectTo: names.length === 1 ? `/portal/jobs/${jobId}` : '/portal/files', notice };
}

/** Answers a failed request of the script with the reason for the failure, in words for the reader of the page. */
function refuse(call: PortalCall, error: unknown): PortalAnswer {
	if (error instanceof SessionEndedError) {
		discardRest(call.request.raw);
		return answerJson({ problem: call.say('frame.ended'), isEnded: true }, 401);
	}
	// Broken connections and server errors are thrown again, so that `routes.ts` handles them. The bytes received so
	// far are kept.
	const { status, text } = failureOf(asServiceError(error), call);
	if (status >= 500) throw error;
	discardRest(call.request.raw);
	const isOther = error instanceof UploadError && error.problem === 'changed';
	return answerJson({ problem: text, isOther }, status);
}

function answerJson(value: object, status = 200): PortalAnswer {
	return {
		send: (reply) =>
			reply
				.code(status)
				.header('cache-control', 'no-store')
				.type('application/json; charset=utf-8')
				.send(JSON.stringify(value)),
	};
}
