import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
	type BlobAppender,
	BlobMissingError,
	type BlobReader,
	type BlobStore,
	type StoreWithin,
} from './blob-store.ts';
import { besidePath, finishHead, finishHeads, replaceHead, syncFolder } from './disk-head.ts';
import { DiskRoom } from './disk-room.ts';
import { isUlid } from './ulid.ts';

const SHARD = /^[0-9a-f]{2}$/;

/** A file with this name is written and removed again to see whether the disk accepts writes. No blob has this name. */
const PROBE = 'writable-check';
const PROBE_BYTES = 4096;

/**
 * Stores blobs as files under `folder`, in 256 folders chosen by a hash of their id. Folders chosen by the id itself,
 * which begins with the time, would fill one after the other. The last `reservedBytes` of the disk are not used.
 */
export function diskBlobStore(folder: string, reservedBytes = 0): BlobStore {
	const room = new DiskRoom(folder, reservedBytes);
	const shardOf = (id: string) => {
		if (!isUlid(id)) throw new Error('internal error: not the id of a sealed file');
		let hash = 0;
		for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) & 0xffff;
		return join(folder, ((hash ^ (hash >> 8)) & 0xff).toString(16).padStart(2, '0'));
	};
	const pathOf = (id: string) => join(shardOf(id), id);
	const openExisting = async (id: string, flags: string) => {
		try {
			return await open(pathOf(id), flags);
		} catch (cause) {
			if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new BlobMissingError(id, { cause });
			throw cause;
		}
	};
	const create = (id: string) => open(pathOf(id), 'wx+', 0o600);
	const store: BlobStore = {
		async create(id) {
			const shard = shardOf(id);
			try {
				return new DiskAppender(await create(id), 0, shard, room);
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
			}
			const firstMade = await mkdir(shard, { recursive: true, mode: 0o700 });
			await syncFolder(folder);
			if (firstMade !== undefined && firstMade !== shard) await syncFolder(dirname(firstMade));
			return new DiskAppender(await create(id), 0, shard, room);
		},
		async append(id) {
			const file = await openExisting(id, 'r+');
			return new DiskAppender(file, (await file.stat()).size, shardOf(id), room);
		},
		async openRead(id) {
			const file = await openExisting(id, 'r');
			return new DiskReader(file, (await file.stat()).size);
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
		space: () => room.space(),
		async checkWritable() {
			await mkdir(folder, { recursive: true, mode: 0o700 });
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

class DiskAppender implements BlobAppender {
	readonly size: number;
	readonly #file: FileHandle;
	readonly #shard: string;
	readonly #room: DiskRoom;
	#isFolderSynced = false;
	#isClosed = false;

	constructor(file: FileHandle, size: number, shard: string, room: DiskRoom) {
		this.#file = file;
		this.size = size;
		this.#shard = shard;
		this.#room = room;
	}

	async write(bytes: Uint8Array, position: number): Promise<void> {
		await this.#room.take(bytes.length);
		for (let written = 0; written < bytes.length; ) {
			const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, position + written);
			written += bytesWritten;
		}
	}

	truncate(size: number): Promise<void> {
		return this.#file.truncate(size);
	}

	async sync(): Promise<void> {
		await this.#file.datasync();
		if (this.#isFolderSynced) return;
		// A new file's name is part of its folder: unless the folder is synced, a power failure loses the whole file.
		await syncFolder(this.#shard);
		this.#isFolderSynced = true;
	}

	settle(): Promise<void> {
		return this.sync();
	}

	async settleWith<T>(work: (store: StoreWithin) => Promise<T>): Promise<T> {
		await this.settle();
		return work(async () => {});
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		await this.#file.close();
	}
}

class DiskReader implements BlobReader {
	readonly size: number;
	readonly #file: FileHandle;
	#isClosed = false;

	constructor(file: FileHandle, size: number) {
		this.#file = file;
		this.size = size;
	}

	async read(target: Uint8Array, position: number): Promise<number> {
		let read = 0;
		while (read < target.length) {
			const { bytesRead } = await this.#file.read(target, read, target.length - read, position + read);
			if (bytesRead === 0) break;
			read += bytesRead;
		}
		return read;
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		await this.#file.close();
	}
}
