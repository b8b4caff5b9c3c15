// Makes one attempt at one job, from reading its input to the transaction that ends it. It runs in a worker thread, but
// can be called anywhere.

import { BlobMissingError } from '../../../base/blobs/blob-store.ts';
import { writeSpool } from '../../../base/blobs/spool.ts';
import type { SpoolWriter } from '../../../base/blobs/spool-writer.ts';
import { systemClock } from '../../../base/clock.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { nameOfMessage } from '../../../base/openpgp/message-names.ts';
import { FileError } from '../../../engine/format.ts';
import type { Progress, Summary } from '../../../engine/report.ts';
import { removeUnnamedBlobs } from '../../drops/drop-blobs.ts';
import { dropStore } from '../../drops/drop-store.ts';
import { mergedOptions, messageOptionsOf } from '../format-options.ts';
import { inputStore, type JobRow, outputStore, reportFolder } from '../job.ts';
import { sealedJobs } from '../job-store.ts';
import { LeaseLostError } from '../queue/lease-lost.ts';
import { type Settlement, settleFailure } from '../queue/settle.ts';
import type { AttemptParts, JobLedger } from '../worker-parts.ts';
import { type AttemptReport, openAttemptReport, writeReports } from './attempt-report.ts';
import { doneDocument, findInput } from './publish.ts';
import type { Product } from './put-reports.ts';

export interface AttemptOptions {
	onProgress?(progress: Progress): void;
}

/** Runs one attempt at a claimed job, then ends or requeues the job. It throws only if that could not be recorded. */
export async function runAttempt(parts: AttemptParts, job: JobRow, options: AttemptOptions = {}): Promise<Settlement> {
	let report: AttemptReport | undefined;
	let ledger: JobLedger | undefined;
	try {
		await requireIntactJob(parts.keyRing, job);
		ledger = await parts.ledgers.open(job);
		await ledger.begin();
		const scope = { accountId: job.account_id, filter: job.filter };
		const merged = await mergedOptions(parts, scope, job.options);
		report = await openAttemptReport(parts, reportFolder(job), merged);
		await processAndPublish(parts, job, { ...options, merged, report, ledger });
		return { state: 'done' };
	} catch (error) {
		// If the file itself is at fault, its report shows what was found in it. After any other failure the report is
		// dropped, because the next attempt finds the same.
		const settled: Settlement =
			error instanceof LeaseLostError
				? { state: 'lost' }
				: await settleFailure(parts, job, error, error instanceof FileError ? report : undefined);
		// Another attempt has the job then. It has dropped what this one had written until that moment, but nothing later.
		if (settled.state === 'lost') await ledger?.endBroken({});
		return settled;
	} finally {
		await report?.book.remove();
	}
}

interface Attempt extends AttemptOptions {
	/** The merged options of account, folder and job, which have not been checked yet. */
	readonly merged: Record<string, unknown>;
	readonly report: AttemptReport;
	readonly ledger: JobLedger;
}

async function processAndPublish(given: AttemptParts, job: JobRow, attempt: Attempt): Promise<void> {
	const parts = { ...given, blobs: given.blobs.holding() };
	/** The ids of the blobs of this attempt, which are removed unless they were published. */
	const unpublished = new Set<string>();
	const makeBlobId = () => {
		const id = makeUlid(Date.now());
		unpublished.add(id);
		return id;
	};
	// True while it is unknown whether the output was committed.
	let isPublishing = false;
	try {
		const { output, summary: seen } = await processInput(parts, job, attempt, makeBlobId);
		const warning = await attempt.ledger.findWarning(seen.cards);
		const summary = warning === undefined ? seen : { ...seen, notices: [...seen.notices, warning] };
		const nowMs = (parts.clock ?? systemClock).now().getTime();
		const head = { job: doneDocument(job, summary, nowMs), counts: summary };
		const reports = await writeReports(parts, reportFolder(job), head, {
			told: attempt.report,
			makeBlobId,
		});
		isPublishing = true;
		const obsolete = await parts.ends({
			job,
			products: { output, ...reports },
			summary,
			refusals: attempt.report.book.refusals,
			nowMs,
			ledger: attempt.ledger,
			ledgers: parts.ledgers,
			blobs: parts.blobs,
		});
		await removeUnnamedBlobs(parts, obsolete);
		for (const published of [output, ...Object.values(reports)]) unpublished.delete(published.blobId);
	} catch (error) {
		// If the answer to the commit was lost, the commit may still have happened. If it did, the output has a row in
		// the database, and the blobs are kept.
		if (isPublishing && !(error instanceof LeaseLostError) && (await mayBePublished(parts, unpublished)))
			unpublished.clear();
		throw error;
	} finally {
		for (const id of unpublished) await parts.blobs.remove(id).catch(() => {});
	}
}

async function processInput(parts: AttemptParts, job: JobRow, attempt: Attempt, makeBlobId: () => string) {
	const file = await findInput(parts.database, job);
	if (!file) throw new BlobMissingError(`of job ${job.id}`);
	// A file opens only with the folder under which it was sealed. The folder is taken from the job and not from the file's
	// row, so that a file whose row somebody moved from another account or folder does not open.
	const stored = { id: file.blob_id, folder: inputStore(job), name: job.name };
	const options = messageOptionsOf(job, attempt.merged);
	const { reader: input, isDecrypted } = await parts.messages.open(parts, stored, options, makeBlobId);
	try {
		let summary: Summary | undefined;
		let expiresAt: number | undefined;
		let isEncrypted = false;
		const transfer = async (writer: SpoolWriter) => {
			const message = await parts.messages.encrypt(job.account_id, options, (bytes) => writer.write(bytes));
			isEncrypted = message !== undefined;
			try {
				summary = await parts.engine.run({
					pass: attempt.ledger.pass,
					accountId: job.account_id,
					direction: job.operation,
					filter: job.filter,
					options: attempt.merged,
					source: input.pieces(),
					sink: message ?? writer,
					report: attempt.report.book,
					onProgress: (progress) => attempt.onProgress?.(progress),
					onCvv(endsAtMs) {
						expiresAt = Math.min(expiresAt ?? endsAtMs, endsAtMs);
					},
				});
				await message?.end();
			} catch (error) {
				await message?.abandon();
				throw error;
			}
		};
		const blobId = makeBlobId();
		const size = await writeSpool(parts, { id: blobId, folder: outputStore(job) }, transfer);
		const name = nameOfMessage(job.name, { decrypted: isDecrypted, encrypted: isEncrypted });
		const output: Product = { blobId, size, expiresAt, name };
		return { output, summary: summary! };
	} finally {
		await input.close();
	}
}

async function mayBePublished({ database }: AttemptParts, ids: ReadonlySet<string>): Promise<boolean> {
	try {
		return (await dropStore(database.knex).findKnownBlobs([...ids])).size > 0;
	} catch {
		return true;
	}
}

/**
 * @throws ServiceError if account, user, direction, folder, options or input of the job were changed since it was
 * accepted
 */
export async function requireIntactJob({ seals }: Pick<KeyRing, 'seals'>, job: JobRow): Promise<void> {
	// A Buffer sent from another thread arrives as a plain Uint8Array, so it is turned into a Buffer again.
	const row = { ...job, seal: job.seal && Buffer.from(job.seal) };
	if (await seals.withSealer((sealer) => sealer.isIntact(sealedJobs, row))) return;
	throw new ServiceError('row-altered', {
		told: told('job-altered'),
		moreInfo:
			`account, folder, direction or options of this job in /${job.operation}/${job.filter} are not those it was ` +
			'accepted with; nothing of the file was read: send it again, and have an operator look for `integrity.failed` in the audit trail',
	});
}
