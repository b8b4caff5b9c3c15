// Sends over HTTP the output and reports that a job has stored in the account's folders.

import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/log/log.ts';
import { CredentialEndedError } from '../../../people/identity/credentials/ending.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import { type ReportBytes, readReportPage, readReportTop } from '../../../work/jobs/attempts/report-reader.ts';
import type { StoredFile } from '../../../work/jobs/job-files.ts';
import { type ItemNames, writeXml } from '../negotiation/xml-writer.ts';

/**
 * Sends a stored file in clear as a stream. If the file turns out to be damaged, the connection is cut. `check` is
 * called before each piece of the answer. If it throws, the connection is cut too, and nothing is logged, because
 * `check` itself has reported why.
 */
export async function sendDrop(
	parts: { drops: Drops; logger: Logger },
	{ folder, file }: StoredFile,
	request: FastifyRequest,
	reply: FastifyReply,
	check?: () => Promise<void>,
): Promise<FastifyReply> {
	const reader = await parts.drops.open(folder, file);
	reply.header('content-length', reader.size);
	const pieces = check ? checked(reader.stream(), check) : reader.stream();
	return sendPieces(parts, { reader, name: file.name, pieces }, request, reply);
}

/** Sends a stored report of JSON as an XML document, under its name with the ending `.xml`. */
export async function sendXmlReport(
	parts: { drops: Drops; logger: Logger },
	{ folder, file }: StoredFile,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const reader = await parts.drops.open(folder, file);
	const name = file.name.replace(/\.json$/, '.xml');
	return sendPieces(parts, { reader, name, pieces: xmlReport(reader) }, request, reply);
}

interface Pieces {
	/** The opened file from which the pieces are read. It is closed at the end. */
	readonly reader: { close(): Promise<void> };
	readonly name: string;
	readonly pieces: AsyncIterable<Buffer>;
}

function sendPieces(
	{ logger }: { logger: Logger },
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

export const REPORT_ROOT = 'JobReport';
const ENTRY = 'entry';
export const REPORT_ITEMS: ItemNames = {
	notices: 'notice',
	warnings: 'warning',
	refusals: 'refusal',
	others: 'other',
	places: 'place',
	entries: ENTRY,
};
const ENTRIES_AT_ONCE = 1_000;
const END = `</${REPORT_ROOT}>`;

/** Yields a report as an XML document with the members of the JSON, in the same order (shapes §4). */
async function* xmlReport(report: ReportBytes): AsyncGenerator<Buffer> {
	const { top, start } = await readReportTop(report);
	const head = writeXml(REPORT_ROOT, { ...top, entries: undefined }, REPORT_ITEMS);
	yield Buffer.from(`${head.slice(0, -END.length)}<entries>`);
	for (let from: number | undefined = start; from !== undefined; ) {
		const page = await readReportPage(report, from, { limit: ENTRIES_AT_ONCE, isShown: () => true });
		if (page.entries.length > 0) {
			yield Buffer.from(page.entries.map((entry) => writeXml(ENTRY, entry, REPORT_ITEMS)).join(''));
		}
		from = page.next;
	}
	yield Buffer.from(`</entries>${END}`);
}
