import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { BlobStore } from './blob-store.ts';
import { dropStore } from './drop-store.ts';
import { type Upload, UploadError } from './upload.ts';

export interface QuotaLimits {
	/** Clear bytes of all files of an account; null is half of the disk. */
	readonly maxBytesPerAccount: number | null;
	readonly maxFilesPerAccount: number;
}

export interface QuotaRooms {
	readonly database: Database;
	readonly blobs: BlobStore;
	readonly clock: Clock;
	/** Uploads under way in this process: their rows do not say yet how large they are. */
	readonly liveUploads: () => Iterable<Upload>;
}

interface Usage {
	bytes: number;
	files: number;
	readonly maxBytes: number;
	readAtMs: number;
}

/** What is stored is summed up again after this long: others use the account too. */
const FRESH_MS = 1_000;
/** An account without uploads for this long is not remembered. */
const FORGOTTEN_MS = 60_000;
const SHARE_OF_DISK = 0.5;

/**
 * What each account may store, its outputs and reports included: one account must not take the room of all. Uploads are
 * held to it alone, so that a file that was accepted always gets its result. Uploads that go through another daemon count
 * once they are paused or accepted.
 */
export class AccountQuotas {
	readonly #rooms: QuotaRooms;
	readonly #limits: QuotaLimits;
	/** Of accounts that have uploads under way or had one a moment ago. */
	readonly #usages = new Map<AccountId, Usage>();
	/** Of each account, its readings that are under way. */
	readonly #readings = new Map<AccountId, Set<{ isOutdated: boolean }>>();

	constructor(rooms: QuotaRooms, limits: QuotaLimits) {
		this.#rooms = rooms;
		this.#limits = limits;
	}

	/** To be asked before an upload. @throws UploadError when the account has no room for another file */
	async requireRoom(accountId: AccountId): Promise<void> {
		const known = this.#usages.get(accountId);
		const usage = known && this.#isFresh(known) ? known : await this.#read(accountId);
		if (usage.files >= this.#limits.maxFilesPerAccount) {
			throw quotaError(`the account has as many files as it may, ${this.#limits.maxFilesPerAccount}`);
		}
		if (usage.bytes >= usage.maxBytes) throw fullError(usage);
		usage.files += 1;
	}

	/** To be asked for each piece of an upload. @throws UploadError when the account may not store as much */
	charge(accountId: AccountId, bytes: number): void {
		const usage = this.#usages.get(accountId);
		// Files that were removed meanwhile make room for the next piece; the reading itself is not waited for.
		if (!usage || !this.#isFresh(usage)) void this.#read(accountId).catch(() => {});
		if (!usage) return;
		if (usage.bytes + bytes > usage.maxBytes) throw fullError(usage);
		usage.bytes += bytes;
	}

	/** To be told when files have gone, or when the row of an upload has just been told how large it is. */
	forget(accountId: AccountId): void {
		for (const reading of this.#readings.get(accountId) ?? []) reading.isOutdated = true;
		const usage = this.#usages.get(accountId);
		if (usage) usage.readAtMs = Number.NEGATIVE_INFINITY;
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
		const { database, blobs, clock, liveUploads } = this.#rooms;
		const nowMs = clock.now().getTime();
		const stored = await dropStore(database.knex).measure(accountId);
		const { maxBytesPerAccount } = this.#limits;
		const maxBytes = maxBytesPerAccount ?? Math.floor((await blobs.space()).total * SHARE_OF_DISK);
		let bytes = stored.bytes;
		for (const { file, size } of liveUploads()) if (file.account_id === accountId) bytes += size - file.size;
		// An upload that ended between the two sums stands in neither of them.
		const readAtMs = reading.isOutdated ? Number.NEGATIVE_INFINITY : nowMs;
		const usage = { bytes, files: stored.files, maxBytes, readAtMs };
		for (const [id, old] of this.#usages) if (nowMs - old.readAtMs > FORGOTTEN_MS) this.#usages.delete(id);
		this.#usages.set(accountId, usage);
		return usage;
	}

	#isFresh({ readAtMs }: Usage): boolean {
		return this.#rooms.clock.now().getTime() - readAtMs < FRESH_MS;
	}
}

function fullError({ maxBytes }: Usage): UploadError {
	return quotaError(`the files of the account may have ${maxBytes} bytes together`);
}

function quotaError(reason: string): UploadError {
	return new UploadError('quota', `${reason}: remove some, then send this one again; nothing of it is kept`);
}
