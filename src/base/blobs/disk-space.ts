import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { makeFolder } from '../durable-files.ts';
import { isNoEntry } from '../errors.ts';
import { OutOfSpaceError, type Space } from './blob-store.ts';

/** This many bytes may be taken before the disk's free space is read again. */
const GRANT_BYTES = 8 * 1024 * 1024;
/** At most this share of the disk is reserved, no matter what the settings say, so that files may use the rest. */
const MOST_RESERVED_SHARE = 0.25;
/**
 * If at least this many bytes are free, nobody fills the disk within 100 ms, so the number of free bytes is read again
 * only after that time (`REUSED_MS`).
 */
const PLENTY_BYTES = 1024 ** 3;
const REUSED_MS = 100;

/**
 * Manages the space for files on a disk whose last bytes are reserved: a database on the same disk needs them to keep
 * working, and to remove files, when uploads have filled the rest.
 */
export class DiskSpace {
	readonly #folder: string;
	readonly #reservedBytes: number;
	#granted = 0;
	#last: { readonly space: Space; readonly readAtMs: number } | undefined;

	constructor(folder: string, reservedBytes: number) {
		this.#folder = folder;
		this.#reservedBytes = reservedBytes;
	}

	/**
	 * Returns the size of the disk and how much of it files may still take. Every upload asks, and reading the disk's
	 * statistics takes longer than storing a small file, so a disk with plenty of space is read ten times a second at most.
	 */
	async space(): Promise<Space> {
		const last = this.#last;
		const nowMs = performance.now();
		if (last && last.space.free >= PLENTY_BYTES && nowMs - last.readAtMs < REUSED_MS) return last.space;
		const space = await this.#read();
		this.#last = { space, readAtMs: nowMs };
		return space;
	}

	async #read(): Promise<Space> {
		const { bsize, blocks, bavail } = await this.#statistics();
		const total = bsize * blocks;
		const reserved = Math.min(this.#reservedBytes, Math.floor(total * MOST_RESERVED_SHARE));
		return { total, free: Math.max(0, bsize * bavail - reserved) };
	}

	/**
	 * Takes space for bytes. Call it before they are written.
	 * @throws OutOfSpaceError if files have taken all the space that they may
	 */
	async take(bytes: number): Promise<void> {
		if (this.#reservedBytes === 0) return;
		if (this.#granted < bytes) {
			const { free } = await this.space();
			if (free < bytes) throw new OutOfSpaceError('no room in the drop store: the rest is kept for the database');
			this.#granted = Math.min(free, Math.max(bytes, GRANT_BYTES));
		}
		this.#granted -= bytes;
	}

	/** Returns the statistics of the disk. The folder is created first if it does not exist yet. */
	async #statistics(): Promise<StatsFs> {
		try {
			return await statfs(this.#folder);
		} catch (error) {
			if (!isNoEntry(error)) throw error;
			await makeFolder(this.#folder);
			return statfs(this.#folder);
		}
	}
}
