// Sends over HTTP the output and reports that a job has stored in the account's folders.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CredentialEndedError } from '../../../people/identity/credentials/ending.ts';
import { type DropFile, type DropFolder, dropStore } from '../../../work/drops/drop-store.ts';
import { type JobRow, outputStore, reportFolder, reportName } from '../../../work/jobs/job.ts';
import type { HttpRooms } from '../rooms.ts';
import { xmlReport } from './report-xml.ts';

/**
 * Names a file and the folder to which it must belong, which is a folder of the job's account. A file of any other
 * folder is not opened.
 */
export interface StoredFile {
	readonly folder: DropFolder;
	readonly file: DropFile;
}

/** Returns the output of a job, or undefined if it has none or the retention of the output has ended. */
export async function findOutput({ database }: HttpRooms, job: JobRow): Promise<StoredFile | undefined> {
	const file = job.output_id === null ? undefined : await dropStore(database.knex).findById(job.output_id);
	return file?.job_id === job.id ? { folder: outputStore(job), file } : undefined;
}

/**
 * Returns the report of a job as JSON or CSV. Returns undefined if the job has not ended, or has no report in the
 * requested format.
 */
export async function findReport(
	{ database, drops }: HttpRooms,
	job: JobRow,
	format: 'json' | 'csv',
): Promise<StoredFile | undefined> {
	const isEnded = job.state === 'done' || job.state === 'failed';
	if (!isEnded || job.report_id === null) return undefined;
	const file =
		format === 'csv'
			? await drops.find(reportFolder(job), reportName(job, 'csv'))
			: await dropStore(database.knex).findById(job.report_id);
	return file?.job_id === job.id ? { folder: reportFolder(job), file } : undefined;
}

/**
 * Sends a stored file in clear as a stream. If the file turns out to be damaged, the connection is cut. `check` is
 * called before each piece of the answer. If it throws, the connection is cut too, and nothing is logged, because
 * `check` itself has reported why.
 */
export async function sendDrop(
	rooms: HttpRooms,
	{ folder, file }: StoredFile,
	request: FastifyRequest,
	reply: FastifyReply,
	check?: () => Promise<void>,
): Promise<FastifyReply> {
	const reader = await rooms.drops.open(folder, file);
	reply.header('content-length', reader.size);
	const pieces = check ? checked(reader.stream(), check) : reader.stream();
	return sendPieces(rooms, { reader, name: file.name, pieces }, request, reply);
}

/** Sends a stored report of JSON as an XML document, under its name with the ending `.xml`. */
export async function sendXmlReport(
	rooms: HttpRooms,
	{ folder, file }: StoredFile,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const reader = await rooms.drops.open(folder, file);
	const name = file.name.replace(/\.json$/, '.xml');
	return sendPieces(rooms, { reader, name, pieces: xmlReport(reader) }, request, reply);
}

interface Pieces {
	/** The opened file from which the pieces are read. It is closed at the end. */
	readonly reader: { close(): Promise<void> };
	readonly name: string;
	readonly pieces: AsyncIterable<Buffer>;
}

function sendPieces(
	{ logger }: HttpRooms,
	{ reader, name, pieces }: Pieces,
	request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	const fallback = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
	const encoded = encodeURIComponent(name.toWellFormed()).replace(
		/[*'()]/g,
		(mark) => `%${mark.charCodeAt(0).toString(16)}`,
	);
	reply.header('content-disposition', `attachment; filename="${fallback}"; filename*=UTF-8''${encoded}`);
	const stream = Readable.from(pieces, { objectMode: false });
	const failed = (err: unknown) => {
		// A `CredentialEndedError` or `CutOffError` cuts off the answer on purpose. The code that threw it has reported
		// the reason already, so it is not logged again.
		if (err instanceof CredentialEndedError || err instanceof CutOffError) return;
		logger.error({ requestId: request.id, err }, 'a stored file could not be read');
	};
	stream.on('error', failed);
	// This listener closes the file. The generator that reads the pieces could not do so, because it never runs if the
	// caller hangs up before the first piece is requested.
	stream.once('close', () => void reader.close().catch(failed));
	return reply.send(stream);
}

/** This error means that an answer was cut off on purpose, by code that has reported why. */
class CutOffError extends Error {
	override readonly name = 'CutOffError';
}

async function* checked(pieces: AsyncIterable<Buffer>, check: () => Promise<void>): AsyncGenerator<Buffer> {
	for await (const piece of pieces) {
		await check().catch((cause: unknown) => {
			throw new CutOffError('the answer was cut off', { cause });
		});
		yield piece;
	}
}
