// Reports of any length in little memory: entries are spooled, sealed, as they come; the report is put together at the
// end, so that its counts come first.

import { stringify } from 'csv-stringify/sync';
import { createSpool, openSpool, type SpoolRooms, writeSpool } from '../drops/spool.ts';
import type { SpoolWriter } from '../drops/spool-writer.ts';
import { makeUlid } from '../drops/ulid.ts';
import type { ReportEntry, Summary } from '../transfer/report.ts';
import type { JobDocument } from './job.ts';

/** Entries are handed to the spool in pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1024;
const CSV_COLUMNS = ['record', 'line', 'offset', 'outcome', 'reason', 'warnings', 'cardType', 'lastFour'] as const;

/** The entries of one attempt, sealed on the way to disk. Ends with `finish` or `discard`. */
export class EntrySpool {
	readonly blobId: string;
	readonly #writer: SpoolWriter;
	#piece = '';

	constructor(blobId: string, writer: SpoolWriter) {
		this.blobId = blobId;
		this.#writer = writer;
	}

	/** Takes an entry; a promise says when there is room for the next one. */
	entry(entry: ReportEntry): Promise<void> | undefined {
		this.#piece += `${JSON.stringify(entry)}\n`;
		return this.#piece.length >= PIECE_CHARACTERS ? this.#flush() : undefined;
	}

	async finish(): Promise<void> {
		await this.#flush();
		await this.#writer.finish();
	}

	/** Never fails. */
	discard(): Promise<void> {
		return this.#writer.discard();
	}

	#flush(): Promise<void> {
		const piece = Buffer.from(this.#piece);
		this.#piece = '';
		return this.#writer.write(piece);
	}
}

export async function openEntrySpool(rooms: SpoolRooms): Promise<EntrySpool> {
	const blobId = makeUlid(Date.now());
	return new EntrySpool(blobId, await createSpool(rooms, blobId));
}

/** What a report tells besides its entries. */
export interface ReportHead {
	readonly job: JobDocument;
	/** Null when the job failed: nothing of it counts then. */
	readonly counts: Summary | null;
}

/** Writes the report of a job as one JSON document; `entriesBlobId` names a finished entry spool. Returns its size. */
export async function writeJsonReport(
	rooms: SpoolRooms,
	blobId: string,
	{ job, counts }: ReportHead,
	entriesBlobId: string | null,
): Promise<number> {
	return writeSpool(rooms, blobId, async (writer) => {
		const head = JSON.stringify({ ...job, counts }, null, '\t').slice(0, -2);
		await writer.write(Buffer.from(`${head},\n\t"entries": [`));
		let isFirst = true;
		for await (const lines of entryLines(rooms, entriesBlobId)) {
			await writer.write(Buffer.from(`${isFirst ? '' : ','}\n\t\t${lines.join(',\n\t\t')}`));
			isFirst = false;
		}
		await writer.write(Buffer.from(isFirst ? ']\n}\n' : '\n\t]\n}\n'));
	});
}

/** Writes the entries alone as CSV with a line of headings. Returns its size. */
export async function writeCsvReport(rooms: SpoolRooms, blobId: string, entriesBlobId: string | null): Promise<number> {
	return writeSpool(rooms, blobId, async (writer) => {
		await writer.write(Buffer.from(stringify([[...CSV_COLUMNS]])));
		for await (const lines of entryLines(rooms, entriesBlobId)) {
			const entries = lines.map((line) => JSON.parse(line) as ReportEntry);
			const rows = entries.map((entry) => ({ ...entry, warnings: entry.warnings?.join('; ') }));
			await writer.write(Buffer.from(stringify(rows, { columns: [...CSV_COLUMNS] })));
		}
	});
}

/** The lines of an entry spool, as many at a time as arrive together. */
async function* entryLines(rooms: SpoolRooms, blobId: string | null): AsyncGenerator<string[]> {
	if (blobId === null) return;
	const reader = await openSpool(rooms, blobId);
	try {
		let rest: Buffer = Buffer.alloc(0);
		for await (const chunk of reader.stream()) {
			const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
			const end = bytes.lastIndexOf(10) + 1;
			rest = bytes.subarray(end);
			if (end > 0) yield bytes.toString('utf8', 0, end - 1).split('\n');
		}
	} finally {
		await reader.close();
	}
}
