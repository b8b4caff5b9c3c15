// Builds the report of one attempt at a job: collects its facts and writes them into sealed files.

import { type SpoolStore, writeSpool } from '../../../base/blobs/spool.ts';
import type { DropFolder } from '../../drops/drop-store.ts';
import { reportOptions } from '../format-options.ts';
import { openEntrySpool } from './entry-spool.ts';
import type { Product } from './put-reports.ts';
import { type ReportHead, reportDocument, writeCsvReport, writeJsonReport } from './report.ts';
import { ReportBook } from './report-book.ts';

/** The report of an attempt while it is collected, and whether also as CSV. Call `book.remove` at the end. */
export type AttemptReport = Awaited<ReturnType<typeof openAttemptReport>>;

/**
 * Begins the report of an attempt, which will be stored in `folder`. Its entries are kept in memory, and are written to
 * disk only if the options request all of them.
 */
export async function openAttemptReport(store: SpoolStore, folder: DropFolder, options: Record<string, unknown>) {
	const { hasCsv, hasAll } = reportOptions(options);
	return { book: new ReportBook(hasAll ? await openEntrySpool(store, folder) : undefined), hasCsv };
}

/**
 * Writes the report into sealed files of the folder, as JSON and, if requested, as CSV. `makeBlobId` returns the id of
 * each file.
 */
export async function writeReports(
	store: SpoolStore,
	folder: DropFolder,
	head: ReportHead,
	{ told: { book, hasCsv }, makeBlobId }: { readonly told: AttemptReport; readonly makeBlobId: () => string },
): Promise<{ readonly jsonReport: Product; readonly csvReport?: Product }> {
	await book.finish();
	const document = await reportDocument(head, book);
	const seal = async (write: typeof writeJsonReport): Promise<Product> => {
		const blobId = makeBlobId();
		return { blobId, size: await writeSpool(store, { id: blobId, folder }, (writer) => write(writer, document)) };
	};
	return { jsonReport: await seal(writeJsonReport), ...(hasCsv && { csvReport: await seal(writeCsvReport) }) };
}
