// What a job has left in the account's folders, over HTTP.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DropFile, dropStore } from '../drops/drop-store.ts';
import { CredentialEndedError } from '../identity/ending.ts';
import { type JobRow, reportFolder, reportName } from '../jobs/job.ts';
import type { HttpRooms } from './rooms.ts';

/** The output of a job, until its retention ends. */
export async function findOutput({ database }: HttpRooms, job: JobRow): Promise<DropFile | undefined> {
	const file = job.output_id === null ? undefined : await dropStore(database.knex).findById(job.output_id);
	return file?.job_id === job.id ? file : undefined;
}

/** The report of a job that has ended, in a format its account asked for. */
export async function findReport(
	{ database, drops }: HttpRooms,
	job: JobRow,
	format: 'json' | 'csv',
): Promise<DropFile | undefined> {
	const isEnded = job.state === 'done' || job.state === 'failed';
	if (!isEnded || job.report_id === null) return undefined;
	const file =
		format === 'csv'
			? await drops.find(reportFolder(job), reportName(job, 'csv'))
			: await dropStore(database.knex).findById(job.report_id);
	return file?.job_id === job.id ? file : undefined;
}

/** Streams a sealed file in clear. One that turns out to be damaged cuts the connection. */
export async function sendDrop(
	{ drops, logger }: HttpRooms,
	file: DropFile,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const reader = await drops.open(file);
	const fallback = file.name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
	const name = encodeURIComponent(file.name.toWellFormed()).replace(
		/[*'()]/g,
		(mark) => `%${mark.charCodeAt(0).toString(16)}`,
	);
	reply.header('content-disposition', `attachment; filename="${fallback}"; filename*=UTF-8''${name}`);
	reply.header('content-length', reader.size);
	const stream = Readable.from(reader.stream(), { objectMode: false });
	const failed = (err: unknown) => {
		// Whoever cut it off has said so.
		if (err instanceof CredentialEndedError) return;
		logger.error({ requestId: request.id, err }, 'a stored file could not be read');
	};
	stream.on('error', failed);
	// Not by the generator itself: one that was never asked for a frame, since the caller has gone, closes nothing.
	stream.once('close', () => void reader.close().catch(failed));
	return reply.send(stream);
}
