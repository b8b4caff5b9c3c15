// One attempt at one job, from the first look at its input to the transaction that ends it. Runs in a worker thread, and
// as well wherever it is called.

import { systemClock } from '../clock.ts';
import { BlobMissingError } from '../drops/blob-store.ts';
import { dropStore } from '../drops/drop-store.ts';
import { openSpool, writeSpool } from '../drops/spool.ts';
import type { SpoolWriter } from '../drops/spool-writer.ts';
import { makeUlid } from '../drops/ulid.ts';
import type { Progress, Summary } from '../transfer/report.ts';
import { isCsvReportWanted, mergedOptions } from './format-options.ts';
import type { JobRow } from './job.ts';
import { doneDocument, findInput, LeaseLostError, type Product, publishDone } from './publish.ts';
import { openEntrySpool, writeCsvReport, writeJsonReport } from './report.ts';
import type { AttemptRooms } from './rooms.ts';
import { type Settlement, settleFailure } from './settle.ts';

export interface AttemptOptions {
	onProgress?(progress: Progress): void;
}

/** Runs a claimed job once and ends or requeues it. Throws only when not even that could be written down. */
export async function runAttempt(rooms: AttemptRooms, job: JobRow, options: AttemptOptions = {}): Promise<Settlement> {
	try {
		// Whatever an attempt before this one left behind was never shown to anybody.
		await rooms.engine.discard(job.id);
		await processAndPublish(rooms, job, options);
		return { state: 'done' };
	} catch (error) {
		if (error instanceof LeaseLostError) return { state: 'lost' };
		return settleFailure(rooms, job, error);
	}
}

/** Blobs of one attempt, to be removed unless they were published. */
class Scratch {
	readonly ids = new Set<string>();

	make(): string {
		const id = makeUlid(Date.now());
		this.ids.add(id);
		return id;
	}
}

async function processAndPublish(rooms: AttemptRooms, job: JobRow, options: AttemptOptions): Promise<void> {
	const scratch = new Scratch();
	// Set while it is not known whether the output counts.
	let isPublishing = false;
	try {
		const { output, entriesBlobId, summary, isCsvWanted } = await processInput(rooms, job, options, scratch);
		const nowMs = (rooms.clock ?? systemClock).now().getTime();
		const head = { job: doneDocument(job, summary, nowMs), counts: summary };
		const jsonReport = await product((id) => writeJsonReport(rooms, id, head, entriesBlobId), scratch);
		const csvReport = isCsvWanted
			? await product((id) => writeCsvReport(rooms, id, entriesBlobId), scratch)
			: undefined;
		isPublishing = true;
		await publishDone(rooms, job, { output, jsonReport, csvReport }, { summary, nowMs });
		for (const published of [output, jsonReport, csvReport]) if (published) scratch.ids.delete(published.blobId);
	} catch (error) {
		// A commit whose answer was lost may have happened all the same: then the row is there, and its blob stays.
		if (isPublishing && !(error instanceof LeaseLostError) && (await mayBePublished(rooms, scratch)))
			scratch.ids.clear();
		throw error;
	} finally {
		for (const id of scratch.ids) await rooms.blobs.remove(id).catch(() => {});
	}
}

async function processInput(rooms: AttemptRooms, job: JobRow, { onProgress }: AttemptOptions, scratch: Scratch) {
	const file = await findInput(rooms.database, job);
	if (!file) throw new BlobMissingError(`of job ${job.id}`);
	const scope = { accountId: job.account_id, filter: job.filter };
	const options = await mergedOptions(rooms.database, scope, job.options);
	const input = await openSpool(rooms, file.blob_id);
	try {
		const entries = await openEntrySpool(rooms);
		scratch.ids.add(entries.blobId);
		try {
			let summary: Summary | undefined;
			const transfer = async (sink: SpoolWriter) => {
				summary = await rooms.engine.run({
					jobId: job.id,
					accountId: job.account_id,
					direction: job.operation,
					filter: job.filter,
					options,
					source: input.stream(),
					sink,
					report: entries,
					onProgress: (progress) => onProgress?.(progress),
				});
			};
			const output = await product((id) => writeSpool(rooms, id, transfer), scratch);
			await entries.finish();
			const isCsvWanted = isCsvReportWanted(options);
			return { output, entriesBlobId: entries.blobId, summary: summary!, isCsvWanted };
		} catch (error) {
			await entries.discard();
			throw error;
		}
	} finally {
		await input.close();
	}
}

async function product(write: (id: string) => Promise<number>, scratch: Scratch): Promise<Product> {
	const blobId = scratch.make();
	return { blobId, size: await write(blobId) };
}

async function mayBePublished({ database }: AttemptRooms, { ids }: Scratch): Promise<boolean> {
	try {
		return (await dropStore(database.knex).findKnownBlobs([...ids])).size > 0;
	} catch {
		return true;
	}
}
