import type { FastifyRequest } from 'fastify';
import { isPartialName } from '../drops/drop-names.ts';
import { makeUlid } from '../drops/ulid.ts';
import { type Upload, UploadError } from '../drops/upload.ts';
import { ServiceError } from '../errors.ts';
import { type JobDocument, jobDocument } from '../jobs/job.ts';
import type { Direction } from '../transfer/format.ts';
import type { HttpRooms } from './rooms.ts';
import { readBody } from './streaming-body.ts';

/** Takes a file in as the account's folder does over sFTP: when this settles it is durable and will be processed. */
export async function acceptFile(
	{ drops, intake, clock }: HttpRooms,
	file: { readonly direction: Direction; readonly filter: string; readonly name?: string },
	request: FastifyRequest,
): Promise<JobDocument> {
	const { accountId, userId } = request.principal;
	const name = file.name ?? `upload-${makeUlid(clock.now().getTime())}`;
	if (isPartialName(name)) throw nameProblem('a name like this one stands for an unfinished upload');
	const folder = { accountId, area: file.direction, filter: file.filter };
	const upload = await refusing(() => drops.begin({ folder, name, createdBy: userId }));
	try {
		for await (const chunk of readBody(request)) await upload.write(null, chunk);
	} catch (error) {
		await discard(drops, upload);
		throw error instanceof UploadError ? toServiceError(error) : error;
	}
	return jobDocument(await refusing(() => intake.accept(upload)));
}

/** There is no going on with an upload over HTTP, so nothing of it is kept. */
async function discard(drops: HttpRooms['drops'], upload: Upload): Promise<void> {
	await drops.remove(upload.file).catch(() => {});
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw error instanceof UploadError ? toServiceError(error) : error;
	}
}

function toServiceError(error: UploadError): ServiceError {
	if (error.problem === 'name') return nameProblem(error.message);
	return new ServiceError('bad-input-data', { moreInfo: `body: ${error.message}`, cause: error });
}

function nameProblem(reason: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: `name: ${reason}` });
}
