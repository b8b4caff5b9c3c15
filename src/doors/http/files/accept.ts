import type { Hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { Direction } from '../../../engine/format.ts';
import { CredentialEndedError } from '../../../people/identity/credentials/ending.ts';
import { missingPermission } from '../../../people/identity/permissions.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import { type Upload, UploadError } from '../../../work/drops/upload.ts';
import { findUploadRefusal } from '../../../work/folders/guards.ts';
import type { Acceptance, Intake } from '../../../work/jobs/intake.ts';
import type { JobRow } from '../../../work/jobs/job.ts';
import { readBody } from '../input/streaming-body.ts';

export interface JobFile {
	readonly direction: Direction;
	readonly filter: string;
	readonly name?: string;
}

/**
 * Receives all bytes of a file into an upload, which the caller then accepts or discards. For a file that is sent under
 * an idempotency key, `hash` is given and hashes all bytes. Then the bytes are durable when the promise resolves, so
 * that accepting a large file takes no longer than accepting a small one.
 */
export async function receiveFile(
	{ drops, clock }: { drops: Drops; clock: Clock },
	file: JobFile,
	request: FastifyRequest,
	hash?: Hash,
): Promise<Upload> {
	const { accountId, userId } = request.principal;
	const name = file.name ?? `upload-${makeUlid(clock.now().getTime())}`;
	const refusal = findUploadRefusal(request.principal, { area: file.direction, name });
	if (refusal?.guard === 'permission') throw missingPermission(refusal.permission);
	if (refusal) throw nameProblem(refusal.message);
	const folder = { accountId, area: file.direction, filter: file.filter };
	const upload = await refusing(() => drops.begin({ folder, name, createdBy: userId }));
	try {
		for await (const chunk of readBody(request)) {
			hash?.update(chunk);
			await upload.write(null, chunk);
		}
		if (hash) await upload.sync();
	} catch (error) {
		await discardFile({ drops }, upload);
		if (error instanceof CredentialEndedError) throw error;
		// The error caught here may only be a consequence of an earlier failure, for example that another upload
		// replaced this one. So the first failure, which the upload has recorded, is reported.
		const cause = upload.failure ?? error;
		throw cause instanceof UploadError ? toServiceError(cause) : cause;
	}
	return upload;
}

/**
 * Turns the file into a job, as if it had been uploaded into the account's folder over sFTP. When the promise resolves,
 * the job is durable and will be processed.
 */
export async function acceptFile(
	{ intake }: { intake: Intake },
	upload: Upload,
	options: Acceptance['options'],
	alongside?: Acceptance['alongside'],
): Promise<JobRow> {
	return refusing(() => intake.accept(upload, { alongside, options }));
}

/** Discards an upload. An upload over HTTP cannot be resumed, so nothing of it is kept. */
export async function discardFile({ drops }: { drops: Drops }, upload: Upload): Promise<void> {
	await drops.discard(upload).catch(() => {});
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw error instanceof UploadError ? toServiceError(error) : error;
	}
}

function toServiceError(error: UploadError): ServiceError {
	if (error.problem === 'quota') return new ServiceError('storage-quota-exceeded', { moreInfo: error.message });
	if (error.problem === 'name') return nameProblem(error.message);
	return new ServiceError('bad-input-data', { field: 'body', problem: error.message, cause: error });
}

function nameProblem(reason: string): ServiceError {
	return badInput('name', reason);
}
