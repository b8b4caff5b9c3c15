import { mkdir, statfs } from 'node:fs/promises';
import { OutOfSpaceError } from './blob-store.ts';

/** Bytes that are handed out before the disk is asked again. */
const GRANT_BYTES = 1024 * 1024;
/** However much is to be kept free, files may have the rest of the disk: three quarters at least. */
const MOST_RESERVED_SHARE = 0.25;

/**
 * Room for files on a disk whose last bytes are not for them: a database beside the files needs those to go on, and to
 * forget files, when uploads have filled the rest.
 */
export class DiskRoom {
	readonly #folder: string;
	readonly #reservedBytes: number;
	#granted = 0;

	constructor(folder: string, reservedBytes: number) {
		this.#folder = folder;
		this.#reservedBytes = reservedBytes;
	}

	/** The disk as a whole, and what files may still take of it. */
	async space(): Promise<{ readonly total: number; readonly free: number }> {
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const { bsize, blocks, bavail } = await statfs(this.#folder);
		const total = bsize * blocks;
		const reserved = Math.min(this.#reservedBytes, Math.floor(total * MOST_RESERVED_SHARE));
		return { total, free: Math.max(0, bsize * bavail - reserved) };
	}

	/** To be asked before bytes are written. @throws OutOfSpaceError when files have taken what they may */
	async take(bytes: number): Promise<void> {
		if (this.#reservedBytes === 0) return;
		if (this.#granted < bytes) {
			const { free } = await this.space();
			if (free < bytes) throw new OutOfSpaceError('no room in the drop store: the rest is kept for the database');
			this.#granted = Math.min(free, Math.max(bytes, GRANT_BYTES));
		}
		this.#granted -= bytes;
	}
}
