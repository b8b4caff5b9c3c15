import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isUlid } from '../database/ulid.ts';
import { makeFolder, syncFolder } from '../durable-files.ts';
import { isNoEntry } from '../errors.ts';
import { type BlobAppender, BlobMissingError, type BlobReader, type BlobStore, requireId } from './blob-store.ts';
import { besidePath, finishHead, finishHeads, replaceHead } from './disk-head.ts';
import { diskSpace } from './disk-space.ts';

const SHARD = /^[0-9a-f]{2}$/;

/** A file with this name is written and removed again to see whether the disk accepts writes. No blob has this name. */
const PROBE = 'writable-check';
const PROBE_BYTES = 4096;

/**
 * Stores blobs as files under `folder`, in 256 folders chosen by a hash of their id. Folders chosen by the id itself,
 * which begins with the time, would fill one after the other. The last `reservedBytes` of the disk are not used.
 */
export function diskBlobStore(folder: string, reservedBytes = 0): BlobStore {
	const space = diskSpace(folder, reservedBytes);
	const shardOf = (id: string) => {
		requireId(id);
		let hash = 0;
		for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) & 0xffff;
		return join(folder, ((hash ^ (hash >> 8)) & 0xff).toString(16).padStart(2, '0'));
	};
	const pathOf = (id: string) => join(shardOf(id), id);
	const openExisting = async (id: string, flags: string) => {
		try {
			return await open(pathOf(id), flags);
		} catch (cause) {
			if (isNoEntry(cause)) throw new BlobMissingError(id, { cause });
			throw cause;
		}
	};
	let isMade = false;
	const durableShards = new Set<string>();
	const place: Place = {
		space,
		async syncName(path) {
			const shard = dirname(path);
			const isNew = !durableShards.has(shard);
			await Promise.all([syncFolder(shard), isNew && syncFolder(folder)]);
			durableShards.add(shard);
		},
	};
	const create = async (id: string) => new DiskAppender(await open(pathOf(id), 'wx+', 0o600), 0, pathOf(id), place);
	const store: BlobStore = {
		async create(id) {
			try {
				return await create(id);
			} catch (error) {
				if (!isNoEntry(error)) throw error;
			}
			if (!isMade) await makeFolder(folder);
			isMade = true;
			await mkdir(shardOf(id), { recursive: true, mode: 0o700 });
			return create(id);
		},
		async append(id) {
			const file = await openExisting(id, 'r+');
			return new DiskAppender(file, (await file.stat()).size, pathOf(id), place);
		},
		async openRead(id) {
			const file = await openExisting(id, 'r');
			return diskReader(file, (await file.stat()).size);
		},
		async remove(id) {
			await rm(pathOf(id), { force: true });
			await rm(besidePath(pathOf(id)), { force: true });
		},
		async replaceHead(id, head) {
			await (await openExisting(id, 'r')).close();
			if (!(await replaceHead(pathOf(id), head))) throw new BlobMissingError(id);
		},
		finishHead: (id) => finishHead(pathOf(id)),
		async finishHeads() {
			for (const shard of await readdirOrNone(folder)) {
				if (SHARD.test(shard)) await finishHeads(join(folder, shard));
			}
		},
		async *list() {
			for (const shard of await readdirOrNone(folder)) {
				for (const name of await readdirOrNone(join(folder, shard))) {
					if (!isUlid(name)) continue;
					const found = await stat(join(folder, shard, name)).catch(() => undefined);
					if (found) yield { id: name, size: found.size, modifiedAtMs: found.mtimeMs };
				}
			}
		},
		removeUnfinished: async () => 0,
		space: () => space.space(),
		async checkWritable() {
			await makeFolder(folder);
			const path = join(folder, PROBE);
			try {
				const file = await open(path, 'w', 0o600);
				try {
					await file.write(Buffer.alloc(PROBE_BYTES));
					await file.datasync();
				} finally {
					await file.close();
				}
			} finally {
				await rm(path, { force: true });
			}
		},
		removeWithin: async (_transaction, ids) => [...ids],
		holding: () => ({ ...store, held: new Map() }),
	};
	return store;
}

async function readdirOrNone(folder: string): Promise<string[]> {
	try {
		return await readdir(folder);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT' || code === 'ENOTDIR') return [];
		throw error;
	}
}

/** The part of a store that its blobs use while they are written. */
interface Place {
	readonly space: ReturnType<typeof diskSpace>;
	/** Makes the name of a file durable, which is part of its folder, and once that of the folder itself. */
	syncName(path: string): Promise<void>;
}

class DiskAppender implements BlobAppender {
	readonly size: number;
	readonly #file: FileHandle;
	readonly #path: string;
	readonly #place: Place;
	/** The length of the beginning that was not written to since the last sync, or since the blob was opened. */
	#intactBytes: number;
	#end: number;
	#isFolderSynced = false;

	constructor(file: FileHandle, size: number, path: string, place: Place) {
		this.#file = file;
		this.size = size;
		this.#path = path;
		this.#place = place;
		this.#intactBytes = size;
		this.#end = size;
	}

	async write(bytes: Uint8Array, position: number): Promise<void> {
		await this.#place.space.take(bytes.length);
		this.#intactBytes = Math.min(this.#intactBytes, position);
		this.#end = Math.max(this.#end, position + bytes.length);
		for (let written = 0; written < bytes.length; ) {
			const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, position + written);
			written += bytesWritten;
		}
	}

	truncate(size: number): Promise<void> {
		this.#intactBytes = Math.min(this.#intactBytes, size);
		this.#end = size;
		return this.#file.truncate(size);
	}

	/**
	 * After a failed sync the system forgets what it could not write, and a later sync succeeds although it is missing on
	 * the disk. So whatever may be missing is cut off, as if it had never been written.
	 */
	async sync(): Promise<void> {
		try {
			await this.#file.datasync();
		} catch (error) {
			await this.truncate(this.#intactBytes);
			throw error;
		}
		if (!this.#isFolderSynced) await this.#syncName();
		this.#intactBytes = this.#end;
	}

	/** A file without a durable name is lost as a whole at a power failure, so it is removed if its name cannot be synced. */
	async #syncName(): Promise<void> {
		try {
			await this.#place.syncName(this.#path);
		} catch (error) {
			await rm(this.#path, { force: true });
			throw error;
		}
		this.#isFolderSynced = true;
	}

	settle(): Promise<void> {
		return this.sync();
	}

	prepare(): Promise<void> {
		return this.settle();
	}

	async storeWithin(): Promise<void> {}

	stored(): void {}

	close(): Promise<void> {
		return this.#file.close();
	}
}

function diskReader(file: FileHandle, size: number): BlobReader {
	return {
		size,
		async read(target, position) {
			let read = 0;
			while (read < target.length) {
				const { bytesRead } = await file.read(target, read, target.length - read, position + read);
				if (bytesRead === 0) break;
				read += bytesRead;
			}
			return read;
		},
		close: () => file.close(),
	};
}
