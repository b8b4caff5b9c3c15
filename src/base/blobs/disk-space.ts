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
export function diskSpace(folder: string, reservedBytes: number) {
	let granted = 0;
	let last: { readonly space: Space; readonly readAtMs: number } | undefined;

	/** Returns the statistics of the disk. The folder is created first if it does not exist yet. */
	const statistics = async (): Promise<StatsFs> => {
		try {
			return await statfs(folder);
		} catch (error) {
			if (!isNoEntry(error)) throw error;
			await makeFolder(folder);
			return statfs(folder);
		}
	};
	const read = async (): Promise<Space> => {
		const { bsize, blocks, bavail } = await statistics();
		const total = bsize * blocks;
		const reserved = Math.min(reservedBytes, Math.floor(total * MOST_RESERVED_SHARE));
		return { total, free: Math.max(0, bsize * bavail - reserved) };
	};
	/**
	 * Returns the size of the disk and how much of it files may still take. Every upload asks, and reading the disk's
	 * statistics takes longer than storing a small file, so a disk with plenty of space is read ten times a second at most.
	 */
	const space = async (): Promise<Space> => {
		const nowMs = performance.now();
		if (last && last.space.free >= PLENTY_BYTES && nowMs - last.readAtMs < REUSED_MS) return last.space;
		last = { space: await read(), readAtMs: nowMs };
		return last.space;
	};
	return {
		space,
		/**
		 * Takes space for bytes. Call it before they are written.
		 * @throws OutOfSpaceError if files have taken all the space that they may
		 */
		async take(bytes: number): Promise<void> {
			if (reservedBytes === 0) return;
			if (granted < bytes) {
				const { free } = await space();
				if (free < bytes) throw new OutOfSpaceError('no room in the drop store: the rest is kept for the database');
				granted = Math.min(free, Math.max(bytes, GRANT_BYTES));
			}
			granted -= bytes;
		},
	};
}
