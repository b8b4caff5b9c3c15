// Manages the files of all accounts: rows describe them, and sealed blobs hold their bytes. This folder knows nothing
// of jobs or protocols.

import { BlobMissingError, OutOfSpaceError, StoreAwayError } from '../../base/blobs/blob-store.ts';
import { DamagedFileError, type SpoolFile } from '../../base/blobs/sealed-file.ts';
import {
	createSpool,
	openSpool,
	openUnfinishedSpool,
	repairSpool,
	resumeSpool,
	type SpoolStore,
	shortenSpool,
} from '../../base/blobs/spool.ts';
import type { SpoolReader } from '../../base/blobs/spool-reader.ts';
import type { SealedFile, SpoolWriter } from '../../base/blobs/spool-writer.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isUniqueViolation, transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import { AccountQuotas } from './account-quotas.ts';
import { claimName } from './claim-name.ts';
import { DiscardedRows } from './discarded-rows.ts';
import { removeUnnamedBlobs } from './drop-blobs.ts';
import { findNameProblem } from './drop-names.ts';
import {
	type DropFile,
	type DropFolder,
	dropStore,
	folderOf,
	type NameRange,
	type NewDropFile,
	pausedAt,
} from './drop-store.ts';
import type { DropsOptions, UploadTarget } from './drops-options.ts';
import { type FolderPage, readFolderPage } from './folder-page.ts';
import { missingBytes, Upload, UploadError } from './upload.ts';

const HOLD_MS = 30_000;
/** So many files of a folder are read at a time. */
const PAGE_LENGTH = 500;
/** A small file needs this many bytes on the disk: for a frame, its folder, and an entry in the folder. */
const LEAST_FREE_BYTES = 128 * 1024;

/** An upload that is sealed for the transaction that accepts it. */
export interface SealedUpload extends SealedFile {
	readonly file: DropFile;
	/** Tells the quotas of the account that the row has its size. */
	readonly ended: (() => void) | undefined;
}

export class Drops {
	readonly #options: DropsOptions;
	readonly #clock: Clock;
	readonly #holdMs: number;
	/** Holds the uploads that go through this process, by the id of their row. */
	readonly #live = new Map<number, Upload>();
	readonly #discarded: DiscardedRows;
	readonly #quotas: AccountQuotas | undefined;
	#renewal: NodeJS.Timeout | undefined;

	constructor(options: DropsOptions) {
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.#holdMs = options.holdMs ?? HOLD_MS;
		this.#discarded = new DiscardedRows(options.database);
		const quotas = { ...options, clock: this.#clock, liveUploads: () => this.#live.values() };
		this.#quotas = options.quotas && new AccountQuotas(quotas, options.quotas);
	}

	get store(): SpoolStore {
		return this.#options;
	}

	async find(folder: DropFolder, name: string): Promise<DropFile | undefined> {
		const file = await this.#store().findByName(folder, name);
		return file && this.#withLiveSize(file);
	}

	/** Lists the uploads of an account that wait to be resumed, the last one first. */
	listUnfinished(accountId: AccountId, limit: number): Promise<DropFile[]> {
		return this.#store().listUnfinished(accountId, limit);
	}

	/** Yields all files of a folder in lists, one file for each name. */
	async *list(folder: DropFolder): AsyncGenerator<DropFile[]> {
		for (let after: string | undefined; ; ) {
			const page = await this.listPage(folder, { after }, PAGE_LENGTH);
			if (page.files.length > 0) yield page.files.map((file) => this.#withLiveSize(file));
			if (page.next === undefined) return;
			after = page.next;
		}
	}

	/** Returns a page of a folder with at most `length` files. */
	listPage(folder: DropFolder, range: NameRange, length: number): Promise<FolderPage> {
		return readFolderPage(this.#store(), folder, range, length);
	}

	/** Counts the names of a folder in a range, up to `most`. */
	countNames(folder: DropFolder, range: NameRange, most: number): Promise<number> {
		return this.#store().countNames(folder, range, most);
	}

	/**
	 * Starts a new file. An unfinished upload of the same name is replaced, and its sender gets an error.
	 * @throws UploadError if the name is not allowed or the account may store no more; OutOfSpaceError
	 */
	async begin(target: UploadTarget): Promise<Upload> {
		const problem = findNameProblem(target.name);
		if (problem !== undefined) throw new UploadError('name', problem);
		// Some clients, such as curl, ignore a refused CLOSE, so a full disk is reported before the first byte.
		const { free } = await this.#options.blobs.space();
		if (free < LEAST_FREE_BYTES) throw new OutOfSpaceError('no room in the drop store for another file');
		await this.#quotas?.requireSpace(target.folder.accountId);
		const blobId = makeUlid(this.#clock.now().getTime());
		const writer = await createSpool(this.#options, { id: blobId, folder: target.folder });
		try {
			const { file, replaced } = await claimName(this.#store(), target.folder, () => this.#newRow(target, blobId));
			if (replaced) await this.#live.get(replaced.id)?.supersede(false);
			if (replaced) await removeUnnamedBlobs(this.#options, [replaced.blob_id]);
			return this.#register(file, writer);
		} catch (error) {
			await writer.discard();
			await this.#options.blobs.remove(blobId).catch(() => {});
			throw error;
		}
	}

	/**
	 * Resumes an unfinished upload at its end; returns undefined if there is none with the name. An upload that this
	 * process holds is taken over.
	 * @throws UploadError if another daemon is receiving the upload right now
	 */
	async resume(target: UploadTarget): Promise<Upload | undefined> {
		const found = await this.#store().findVisible(target.folder, target.name);
		if (!found || found.state === 'ready') return undefined;
		const live = this.#live.get(found.id);
		this.#live.delete(found.id);
		const isWhole = (await live?.supersede(true)) !== undefined;
		const isStale = live !== undefined || (found.held_until ?? 0) < this.#clock.now().getTime();
		if (found.state === 'receiving' && !isStale) {
			throw new UploadError('superseded', 'another session is sending this file right now: try again in a minute');
		}
		const changes = { ...this.#hold(), state: 'receiving' as const, created_by: target.createdBy };
		const expected = { blob_id: found.blob_id, writer: found.writer, state: found.state };
		if (!(await this.#store().update(found.id, expected, changes))) {
			throw new UploadError('superseded', 'another session has taken over this file');
		}
		// The client of an upload that is taken over may have sent bytes beyond those that are kept.
		const file = { ...found, ...changes, missing_to: live?.reach ?? found.missing_to ?? null };
		try {
			// An upload whose writer was interrupted may end in half a frame. A paused one does not.
			const spool = { id: file.blob_id, folder: target.folder };
			if (found.state === 'receiving' && !isWhole) await repairSpool(this.#options, spool);
			return this.#register(file, await resumeSpool(this.#options, spool));
		} catch (error) {
			if (error instanceof DamagedFileError || error instanceof BlobMissingError) return this.begin(target);
			await this.#store().update(
				file.id,
				{ writer: file.writer },
				{ state: 'partial', writer: null, held_until: null },
			);
			throw error;
		}
	}

	/** Ends an upload without accepting it. Its bytes are kept for resuming, unless the account may not store them. */
	async pause(upload: Upload): Promise<void> {
		const { id, writer } = upload.file;
		if (this.#live.get(id) !== upload) return;
		if (upload.problem === 'quota') return this.discard(upload);
		const stored = await upload.suspend();
		this.#forget(upload);
		const ended = this.#quotas?.keepCounting(upload);
		try {
			const size = stored ?? (await this.#measureKept(upload.file));
			await this.#store().update(id, { writer }, { ...pausedAt(size, upload.reach), modified_at: upload.modifiedAtMs });
		} finally {
			ended?.();
		}
	}

	/**
	 * Seals a complete upload for the transaction that accepts it; `settle` ends it afterwards. If this throws, the upload
	 * can be paused.
	 * @throws UploadError or the failure of an earlier call
	 */
	async seal(upload: Upload): Promise<SealedUpload> {
		const sealed = await upload.seal();
		this.#forget(upload);
		return { ...sealed, file: { ...upload.file, size: sealed.size }, ended: this.#quotas?.keepCounting(upload) };
	}

	/**
	 * Ends a sealed upload. One that was not accepted is stored alone, and can be resumed. If that fails too, only a repair
	 * can tell what is left of it, as after a crash.
	 */
	async settle(upload: SealedUpload, isAccepted: boolean): Promise<void> {
		try {
			await upload.settle(isAccepted);
			if (!isAccepted) await this.release(upload.file);
		} finally {
			upload.ended?.();
		}
	}

	/**
	 * Seals a paused upload as complete, under a new writer id, so that no other writer changes it before it is accepted.
	 * @throws UploadError if bytes are missing, or another session has the upload
	 */
	async finishPartial(file: DropFile): Promise<DropFile> {
		if (file.missing_to) throw missingBytes(file.size, file.missing_to);
		const hold = this.#hold();
		const expected = { state: 'partial' as const, blob_id: file.blob_id };
		if (!(await this.#store().update(file.id, expected, { ...hold, state: 'receiving' }))) {
			throw new UploadError('superseded', 'another session has taken over this file');
		}
		try {
			const writer = await resumeSpool(this.#options, spoolOf(file));
			return { ...file, ...hold, state: 'receiving', size: await finishOrDiscard(writer) };
		} catch (error) {
			const size = await this.#measureKept(file).catch(() => file.size);
			await this.release({ ...file, ...hold, size });
			throw error;
		}
	}

	/** Puts an upload that was sealed but not accepted back into its folder, as a paused one. */
	async release(file: DropFile): Promise<void> {
		const { id, writer, size, missing_to } = file;
		await this.#store().update(id, { writer }, pausedAt(size, missing_to));
	}

	/**
	 * Opens an output, a report or an input for reading; the caller closes it. A file opens only with the folder that it
	 * was sealed for, so a file whose row was moved to `folder` from another account or folder does not open.
	 */
	open(folder: DropFolder, { blob_id: id }: DropFile): Promise<SpoolReader> {
		return openSpool(this.#options, { id, folder });
	}

	/** Opens the received part of a paused upload, in the same way as `open`. */
	openPartial(folder: DropFolder, { blob_id: id }: DropFile): Promise<SpoolReader> {
		return openUnfinishedSpool(this.#options, { id, folder });
	}

	/** Removes a file if it has not changed since it was read; returns whether it was removed. */
	async remove(file: DropFile): Promise<boolean> {
		if (!(await this.#store().remove(file.id, { state: file.state, blob_id: file.blob_id }))) return false;
		const live = this.#live.get(file.id);
		if (live) {
			this.#forget(live);
			await live.supersede(false);
		}
		await removeUnnamedBlobs(this.#options, [file.blob_id]);
		this.#quotas?.forget(file.account_id);
		return true;
	}

	/**
	 * Ends an upload and keeps nothing of it. Its bytes are removed first, because a full database may accept no write. A
	 * row that cannot be removed now is removed once the database accepts writes again, and bytes that a store which is away
	 * keeps are removed with those that no row names.
	 */
	async discard(upload: Upload): Promise<void> {
		// The bytes belong to another upload, or are removed already, if this process no longer holds this upload.
		if (this.#live.get(upload.file.id) !== upload) return;
		await upload.supersede(false);
		try {
			await this.#options.blobs.remove(upload.file.blob_id);
		} catch (error) {
			if (!(error instanceof StoreAwayError)) throw error;
		}
		this.#forget(upload);
		this.#quotas?.forget(upload.file.account_id);
		this.#discarded.add(upload.file);
		await this.#discarded.remove();
	}

	/** Renames a paused upload or output. Removes `replaces`, which had the name. Returns false if either changed meanwhile. */
	async rename(file: DropFile, name: string, replaces: DropFile | undefined): Promise<boolean> {
		const { database } = this.#options;
		const isDone = await transact(database, async (transaction) => {
			const store = dropStore(transaction);
			if (replaces && !(await store.remove(replaces.id, { state: replaces.state, blob_id: replaces.blob_id })))
				return false;
			return store.update(file.id, { state: file.state, blob_id: file.blob_id, name: file.name }, { name });
		}).catch((error) => {
			if (isUniqueViolation(error)) return false;
			throw error;
		});
		if (isDone && replaces) await removeUnnamedBlobs(this.#options, [replaces.blob_id]);
		return isDone;
	}

	space(): Promise<{ readonly total: number; readonly free: number }> {
		return this.#options.blobs.space();
	}

	/** Pauses every upload that still goes through this process. */
	async close(): Promise<void> {
		clearInterval(this.#renewal);
		await Promise.all([...this.#live.values()].map((upload) => this.pause(upload)));
	}

	#store() {
		return dropStore(this.#options.database.knex);
	}

	#hold() {
		const now = this.#clock.now().getTime();
		const { daemonId } = this.#options;
		return { writer: makeUlid(now), held_by: daemonId, held_until: now + this.#holdMs };
	}

	#newRow(target: UploadTarget, blobId: string): NewDropFile {
		const now = this.#clock.now().getTime();
		return {
			account_id: target.folder.accountId,
			area: target.folder.area,
			filter: target.folder.filter,
			name: target.name,
			blob_id: blobId,
			size: 0,
			state: 'receiving',
			created_by: target.createdBy,
			missing_to: null,
			job_id: null,
			created_at: now,
			modified_at: now,
			...this.#hold(),
		};
	}

	#register(file: DropFile, writer: SpoolWriter): Upload {
		const upload = new Upload({
			file,
			writer,
			maxBytes: this.#options.maxFileBytes ?? Number.MAX_SAFE_INTEGER,
			charge: (bytes) => this.#quotas?.charge(file.account_id, bytes),
			openStored: () => openUnfinishedSpool(this.#options, spoolOf(file)),
			shorten: (size) => shortenSpool(this.#options, spoolOf(file), size),
		});
		this.#live.set(file.id, upload);
		if (!this.#renewal) {
			this.#renewal = setInterval(() => void this.#renew(), this.#holdMs / 3);
			this.#renewal.unref();
		}
		return upload;
	}

	/** Returns how much of an upload is left after its store has failed, in clear bytes. */
	async #measureKept(file: DropFile): Promise<number> {
		try {
			return await repairSpool(this.#options, spoolOf(file));
		} catch (error) {
			if (error instanceof BlobMissingError) return 0;
			throw error;
		}
	}

	#forget(upload: Upload): void {
		if (this.#live.get(upload.file.id) === upload) this.#live.delete(upload.file.id);
	}

	async #renew(): Promise<void> {
		await this.#discarded.remove();
		if (this.#live.size === 0) return;
		// If the holds cannot be renewed now, the next renewal comes soon. A daemon that takes over an upload until
		// then changes the `writer` in its row.
		await this.#store()
			.renewHolds(this.#options.daemonId, this.#clock.now().getTime() + this.#holdMs)
			.catch(() => {});
	}

	#withLiveSize(file: DropFile): DropFile {
		const live = this.#live.get(file.id);
		return live ? { ...file, size: live.size, modified_at: live.modifiedAtMs } : file;
	}
}

async function finishOrDiscard(writer: SpoolWriter): Promise<number> {
	try {
		return await writer.finish();
	} catch (error) {
		await writer.discard();
		throw error;
	}
}

function spoolOf(file: DropFile): SpoolFile {
	return { id: file.blob_id, folder: folderOf(file) };
}
