import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { dropStore } from './drop-store.ts';
import { type Upload, UploadError } from './upload.ts';

export interface QuotaLimits {
	/** The most bytes, before sealing, that all files of an account may have together; null means half of the disk. */
	readonly maxBytesPerAccount: number | null;
	readonly maxFilesPerAccount: number;
}

export interface AccountQuotasOptions {
	readonly database: Database;
	readonly blobs: BlobStore;
	readonly clock: Clock;
	/** The uploads in progress in this process, whose rows do not show their size yet. */
	readonly liveUploads: () => Iterable<Upload>;
}

interface Usage {
	bytes: number;
	files: number;
	readonly maxBytes: number;
	readonly readAtMs: number;
	/** True once it is known that the numbers have changed. They serve until they have been read again. */
	isOutdated: boolean;
}

/** The stored sizes are summed up again after this time, because other daemons store files for the account too. */
const FRESH_MS = 1_000;
const FORGOTTEN_MS = 60_000;
const SHARE_OF_DISK = 0.5;

/**
 * Limits the bytes and files that each account may store, including its outputs and reports, so that one account cannot
 * fill the disk. Only uploads are refused, so that an accepted file always gets its result. The bytes of an upload
 * through another daemon are counted once it is paused or accepted.
 */
export class AccountQuotas {
	readonly #options: AccountQuotasOptions;
	readonly #limits: QuotaLimits;
	/** Holds the numbers of bytes and files of the accounts that have uploads in progress or had some a moment ago. */
	readonly #usages = new Map<AccountId, Usage>();
	/** Holds, by account, the running queries for its numbers of bytes and files. */
	readonly #readings = new Map<AccountId, Set<{ isOutdated: boolean }>>();
	/** Holds the uploads that have ended, but whose rows may not have their sizes yet. */
	readonly #ending = new Set<Upload>();

	constructor(options: AccountQuotasOptions, limits: QuotaLimits) {
		this.#options = options;
		this.#limits = limits;
	}

	/**
	 * Counts another file of an account if there is space for it. Call it before an upload.
	 * @throws UploadError if there is no space
	 */
	async requireSpace(accountId: AccountId): Promise<void> {
		const known = this.#usages.get(accountId);
		let usage = known && this.#isFresh(known) ? known : await this.#read(accountId);
		// An upload that ends while the rows are summed up may be counted twice, so the sum is made once more before
		// somebody is refused.
		if (usage.bytes >= usage.maxBytes && usage.isOutdated) usage = await this.#read(accountId);
		if (usage.files >= this.#limits.maxFilesPerAccount) {
			throw quotaError(`the account has as many files as it may, ${this.#limits.maxFilesPerAccount}`);
		}
		if (usage.bytes >= usage.maxBytes) throw fullError(usage);
		usage.files += 1;
	}

	/**
	 * Counts a piece of an upload. Call it for each piece.
	 * @throws UploadError if the account may not store that much
	 */
	charge(accountId: AccountId, bytes: number): void {
		const usage = this.#usages.get(accountId);
		// Outdated sums are read again in the background. The present piece is still checked against the old sums,
		// and later pieces against the new ones.
		if (!usage || !this.#isFresh(usage)) void this.#read(accountId).catch(() => {});
		if (!usage) return;
		if (usage.bytes + bytes > usage.maxBytes) throw fullError(usage);
		usage.bytes += bytes;
	}

	/**
	 * Keeps counting an upload that is no longer in progress, until the returned function is called because its row has
	 * its size. Queries that run then may have read the row before or after, so they are marked as outdated. Sums that were
	 * read earlier stay right, because they counted the bytes of the upload as they came.
	 */
	keepCounting(upload: Upload): () => void {
		this.#ending.add(upload);
		return () => {
			this.#ending.delete(upload);
			this.#forgetReadings(upload.file.account_id);
		};
	}

	/** Marks the numbers of bytes and files of an account as outdated, so that they are read again after files were removed. */
	forget(accountId: AccountId): void {
		this.#forgetReadings(accountId);
		const usage = this.#usages.get(accountId);
		if (usage) usage.isOutdated = true;
	}

	#forgetReadings(accountId: AccountId): void {
		for (const reading of this.#readings.get(accountId) ?? []) reading.isOutdated = true;
	}

	async #read(accountId: AccountId): Promise<Usage> {
		const reading = { isOutdated: false };
		const readings = this.#readings.get(accountId) ?? new Set();
		this.#readings.set(accountId, readings.add(reading));
		try {
			return await this.#sum(accountId, reading);
		} finally {
			readings.delete(reading);
			if (readings.size === 0) this.#readings.delete(accountId);
		}
	}

	async #sum(accountId: AccountId, reading: { readonly isOutdated: boolean }): Promise<Usage> {
		const { database, blobs, clock, liveUploads } = this.#options;
		const nowMs = clock.now().getTime();
		const stored = await dropStore(database.knex).measure(accountId);
		const { maxBytesPerAccount } = this.#limits;
		const maxBytes = maxBytesPerAccount ?? Math.floor((await blobs.space()).total * SHARE_OF_DISK);
		let bytes = stored.bytes;
		for (const { file, size } of new Set([...liveUploads(), ...this.#ending])) {
			if (file.account_id === accountId) bytes += size - file.size;
		}
		// An upload that is ending may be counted here and by its row. The result is then used only once.
		const isEnding = [...this.#ending].some(({ file }) => file.account_id === accountId);
		const isOutdated = reading.isOutdated || isEnding;
		const usage = { bytes, files: stored.files, maxBytes, readAtMs: nowMs, isOutdated };
		for (const [id, old] of this.#usages) if (nowMs - old.readAtMs > FORGOTTEN_MS) this.#usages.delete(id);
		this.#usages.set(accountId, usage);
		return usage;
	}

	#isFresh({ readAtMs, isOutdated }: Usage): boolean {
		return !isOutdated && this.#options.clock.now().getTime() - readAtMs < FRESH_MS;
	}
}

function fullError({ maxBytes }: Usage): UploadError {
	return quotaError(`the files of the account may have ${maxBytes} bytes together`);
}

function quotaError(reason: string): UploadError {
	return new UploadError('quota', `${reason}: remove some, then send this one again; nothing of it is kept`);
}
