// Passes the bytes of an upload to the same intake as sFTP. If the connection breaks or the session ends, the bytes
// received so far are kept, so that the upload can go on later.

import { ServiceError } from '../../../../../base/errors.ts';
import { type FailureCode, told } from '../../../../../base/failures.ts';
import { giveBack } from '../../../../../base/threads/buffer-memory.ts';
import type { UploadTarget } from '../../../../../work/drops/drops-options.ts';
import { type Upload, UploadError, type UploadProblem } from '../../../../../work/drops/upload.ts';
import { findUploadRefusal, requireUnits } from '../../../../../work/folders/guards.ts';
import { ownOptionsOf } from '../../../../../work/jobs/format-options.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { principalOf, requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';

/** At most this many pieces of the body, of up to 64 KiB each, are being sealed while more of the body is received. */
const MAX_WRITES = 16;

/**
 * Checks that the viewer may upload a file of this name.
 * @throws ForbiddenError, UploadError for the name of an unfinished upload, ServiceError if the allowance is used up
 */
export async function checkUpload(
	call: PortalCall,
	{ identity }: Pick<PortalParts, 'identity'>,
	{ folder, name }: UploadTarget,
) {
	const principal = principalOf(call);
	if (folder.area === 'detokenize') requireNumbers(call);
	const refusal = findUploadRefusal(principal, { area: folder.area, name });
	if (refusal?.guard === 'permission') throw new ForbiddenError('files.upload');
	if (refusal) throw new UploadError('name', `${refusal.message}: rename the file and send it again`);
	await requireUnits(principal, folder.area, identity.allowance);
}

/**
 * Writes bytes into an upload from an offset on. If the bytes break off, the upload is paused with those received
 * so far.
 */
export async function writeAll(
	{ drops }: Pick<PortalParts, 'drops'>,
	upload: Upload,
	bytes: AsyncIterable<Buffer>,
	offset: number,
): Promise<void> {
	let at = offset;
	// The bytes received so far are sealed while more of them arrive. An upload accepts several writes at once, in the
	// order of their offsets.
	const writing: Promise<void>[] = [];
	try {
		for await (const chunk of bytes) {
			// Nobody else uses the buffers of the body. Each one is given back as soon as it was sealed, because
			// leaving it to garbage collection would take longer than sealing it.
			const write = upload.write(at, chunk).then(() => giveBack(chunk));
			// A write that fails throws its error where it is awaited below. Until then, this handler keeps Node from
			// reporting an unhandled rejection.
			write.catch(() => {});
			writing.push(write);
			at += chunk.length;
			if (writing.length > MAX_WRITES) await writing.shift();
		}
		await Promise.all(writing);
	} catch (error) {
		await Promise.allSettled(writing);
		await drops.pause(upload).catch(() => {});
		throw error;
	}
}

/** Turns a complete upload into a job, and records in the audit trail who sent it. */
export async function acceptUpload(
	call: PortalCall,
	{ intake, audit }: Pick<PortalParts, 'intake' | 'audit'>,
	upload: Upload,
): Promise<JobRow> {
	const principal = principalOf(call);
	const direction = upload.file.area === 'detokenize' ? 'detokenize' : 'tokenize';
	return intake.accept(upload, {
		options: ownOptionsOf(principal, direction),
		alongside: ({ id, name, filter, operation }, transaction) => {
			const details = { name, filter, operation };
			const entry = { actor: call.viewer.actor, action: 'file.upload', subject: `job ${id}`, details };
			return audit.record(entry, transaction);
		},
	});
}

/** Converts an UploadError to a ServiceError, whose message a page can show; other errors stay as they are. */
export function asServiceError(error: unknown): unknown {
	if (!(error instanceof UploadError)) return error;
	const { problem, message: moreInfo } = error;
	if (problem === 'quota') return new ServiceError('storage-quota-exceeded', { moreInfo });
	return new ServiceError('bad-input-data', { moreInfo, told: told(CODES[problem]), cause: error });
}

const CODES = {
	name: 'name-not-allowed',
	'too-large': 'file-too-large',
	gap: 'upload-incomplete',
	'too-far': 'upload-incomplete',
	changed: 'upload-incomplete',
	superseded: 'upload-superseded',
} as const satisfies Record<Exclude<UploadProblem, 'quota'>, FailureCode>;
