// Stores blobs of a few kilobytes as rows of the database; a blob that grows beyond that becomes a file. A file needs
// two syncs of the disk and several system calls, which take longer than everything else that is done with a small
// file. A row is durable with the commit that names its blob.

import type { Knex } from 'knex';
import { transact } from '../database/dialect.ts';
import { gathered } from '../database/gather.ts';
import type { Database } from '../database/open.ts';
import { blobRowStore } from './blob-row-store.ts';
import { type BlobAppender, type BlobReader, type BlobStore, type HoldingStore, requireId } from './blob-store.ts';

/** The largest blob that is a row, in sealed bytes. */
export const MOST_ROW_BYTES = 32 * 1024;

/** Puts small blobs into the database and passes all others to `large`. */
export function smallBlobStore(database: Database, large: BlobStore): BlobStore {
	const rows = blobRowStore(database.knex);
	const findRow = gathered(rows.findAll);
	/** The blobs that this process is writing, by id, except those that were files already when they were opened. */
	const live = new Map<string, SmallAppender>();
	const open = (id: string, start: Buffer | undefined, insert: SmallAppenderOptions['insert'] = rows.insert) => {
		const appender = new SmallAppender(id, { database, large, start, insert, onEnd: () => live.delete(id) });
		live.set(id, appender);
		return appender;
	};
	const create = (id: string, insert?: SmallAppenderOptions['insert']) => {
		requireId(id);
		if (live.has(id)) throw new Error(`internal error: blob ${id} is being written already`);
		return open(id, undefined, insert);
	};
	const store: BlobStore = {
		create: async (id) => create(id),
		async append(id) {
			requireId(id);
			const bytes = await rows.find(id);
			return bytes ? open(id, bytes) : large.append(id);
		},
		async openRead(id) {
			requireId(id);
			const growing = live.get(id);
			if (growing?.isSmall) return bytesReader(() => growing.bytes);
			const bytes = await findRow(id);
			return bytes ? bytesReader(() => bytes) : large.openRead(id);
		},
		async remove(id) {
			live.get(id)?.forget();
			if (!(await rows.remove(id))) await large.remove(id);
		},
		async replaceHead(id, head) {
			const growing = live.get(id);
			if (growing?.isSmall) growing.replaceHead(head);
			const isRow = await transact(database, (transaction) => blobRowStore(transaction).replaceHead(id, head));
			if (!isRow && !growing?.isSmall) await large.replaceHead(id, head);
		},
		finishHead: (id) => large.finishHead(id),
		finishHeads: () => large.finishHeads(),
		async *list() {
			yield* rows.list();
			yield* large.list();
		},
		removeUnfinished: (startedBeforeMs) => large.removeUnfinished(startedBeforeMs),
		space: () => large.space(),
		checkWritable: () => large.checkWritable(),
		async removeWithin(transaction, ids) {
			if (ids.length === 0) return [];
			const removed = await blobRowStore(transaction).removeUnnamed(ids);
			return ids.filter((id) => !removed.has(id));
		},
		holding() {
			const held = new Map<string, Buffer>();
			return {
				...store,
				create: async (id) => create(id, async (_, bytes) => void held.set(id, Buffer.from(bytes))),
				async openRead(id) {
					const bytes = held.get(id);
					return bytes ? bytesReader(() => bytes) : store.openRead(id);
				},
				async remove(id) {
					if (!held.delete(id)) await store.remove(id);
				},
				held,
			};
		},
	};
	return store;
}

/** Inserts the blobs that the given stores hold in memory. If the transaction fails, another one can insert them. */
export async function writeHeld(
	transaction: Knex.Transaction,
	stores: readonly Pick<HoldingStore, 'held'>[],
): Promise<void> {
	const blobs = stores.flatMap(({ held }) => [...held]);
	if (blobs.length > 0) await blobRowStore(transaction).insertAll(blobs);
}

interface SmallAppenderOptions {
	readonly database: Database;
	readonly large: BlobStore;
	/** The bytes of a blob that is already stored as a row of the database; undefined for a new blob. */
	readonly start: Buffer | undefined;
	/** Stores a complete blob as a new row of the database. It is called only if the blob has no row yet. */
	readonly insert: (id: string, bytes: Buffer) => Promise<void>;
	readonly onEnd: () => void;
}

/**
 * A blob that is being written. It stays in memory until it is stored as a row, or is too large for one and becomes a
 * file.
 */
class SmallAppender implements BlobAppender {
	readonly size: number;
	readonly #id: string;
	readonly #options: SmallAppenderOptions;
	#memory: Buffer;
	#length: number;
	/**
	 * The first position written by this appender. The bytes before it are those of the row, whose head another caller
	 * may replace meanwhile.
	 */
	#ownFrom: number;
	#file: BlobAppender | undefined;
	#isRow: boolean;
	/** True if the blob in memory has changes that its row does not have. */
	#isChanged: boolean;
	#isForgotten = false;
	#isClosed = false;

	constructor(id: string, options: SmallAppenderOptions) {
		const { start } = options;
		this.#id = id;
		this.#options = options;
		this.#memory = start ?? Buffer.alloc(0);
		this.#length = this.#memory.length;
		this.size = this.#length;
		this.#ownFrom = this.#length;
		this.#isRow = start !== undefined;
		this.#isChanged = !this.#isRow;
	}

	get isSmall(): boolean {
		return this.#file === undefined;
	}

	get bytes(): Buffer {
		return this.#memory.subarray(0, this.#length);
	}

	replaceHead(head: Uint8Array): void {
		this.bytes.set(head.subarray(0, this.#length), 0);
	}

	/** Makes sure that a removed blob is not written again. */
	forget(): void {
		this.#isChanged = false;
		this.#isForgotten = true;
	}

	async write(bytes: Uint8Array, position: number): Promise<void> {
		if (this.#isForgotten) return;
		const end = position + bytes.length;
		if (!this.#file && end > MOST_ROW_BYTES) await this.#becomeFile();
		if (this.#file) return this.#file.write(bytes, position);
		if (end > this.#memory.length) {
			const larger = Buffer.alloc(Math.min(MOST_ROW_BYTES, Math.max(end, this.#memory.length * 2)));
			this.bytes.copy(larger);
			this.#memory = larger;
		}
		this.#memory.set(bytes, position);
		this.#length = Math.max(this.#length, end);
		this.#ownFrom = Math.min(this.#ownFrom, position);
		this.#isChanged = true;
	}

	async truncate(size: number): Promise<void> {
		if (this.#isForgotten) return;
		if (this.#file) return this.#file.truncate(size);
		this.#length = Math.min(this.#length, size);
		this.#ownFrom = Math.min(this.#ownFrom, size);
		this.#isChanged = true;
	}

	async sync(): Promise<void> {
		if (this.#isForgotten) return;
		if (this.#file) return this.#file.sync();
		const { database } = this.#options;
		await transact(database, (transaction) => {
			const rows = blobRowStore(transaction);
			return this.#put(rows, rows.insert);
		});
	}

	async settle(): Promise<void> {
		if (this.#file) return this.#file.settle();
		const { database, insert } = this.#options;
		if (this.#isChanged) await this.#put(blobRowStore(database.knex), insert);
	}

	async prepare(): Promise<void> {
		await this.#file?.prepare();
	}

	async storeWithin(transaction: Knex.Transaction): Promise<void> {
		if (this.#file) return this.#file.storeWithin(transaction);
		const rows = blobRowStore(transaction);
		if (this.#isChanged) await this.#write(rows, rows.insert);
	}

	stored(): void {
		this.#file?.stored();
		this.#isChanged = false;
		this.#isRow = this.#file === undefined;
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		try {
			if (this.#file) await this.#file.close();
			else if (this.#isChanged) await this.settle();
		} finally {
			this.#options.onEnd();
		}
	}

	async #put(rows: ReturnType<typeof blobRowStore>, insert: SmallAppenderOptions['insert']): Promise<void> {
		this.#isChanged = false;
		await this.#write(rows, insert);
		this.#isRow = true;
	}

	async #write(rows: ReturnType<typeof blobRowStore>, insert: SmallAppenderOptions['insert']): Promise<void> {
		if (this.#isRow) await rows.update(this.#id, this.bytes, this.#ownFrom);
		else await insert(this.#id, this.bytes);
	}

	/** Moves the blob from memory to a file. If the blob is a row, the file is durable before the row is removed. */
	async #becomeFile(): Promise<void> {
		const { database, large } = this.#options;
		const rows = blobRowStore(database.knex);
		const stored = this.#isRow ? await rows.find(this.#id) : undefined;
		stored?.copy(this.#memory, 0, 0, this.#ownFrom);
		// If there already is a file with the id of a row, it was left by a process that died while it moved the blob to a
		// file.
		if (this.#isRow) await large.remove(this.#id);
		const file = await large.create(this.#id);
		try {
			await file.write(this.bytes, 0);
			if (this.#isRow) {
				await file.sync();
				await rows.remove(this.#id);
			}
		} catch (error) {
			await file.close();
			throw error;
		}
		this.#file = file;
		this.#memory = Buffer.alloc(0);
	}
}

function bytesReader(find: () => Buffer): BlobReader {
	return {
		size: find().length,
		async read(target, position) {
			const bytes = find();
			return position >= bytes.length ? 0 : bytes.copy(target, 0, position);
		},
		async close() {},
	};
}
