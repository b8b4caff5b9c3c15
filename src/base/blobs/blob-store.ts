// Defines the interface to the store that keeps the bytes of sealed files as blobs. To the store, a blob is opaque and
// has only an id.

import type { Knex } from 'knex';
import { isUlid } from '../database/ulid.ts';

/** A blob that is being written. Only one call of its methods may run at a time. */
export interface BlobAppender {
	/** The number of bytes that the blob had when it was opened. */
	readonly size: number;
	/** Writes all of `bytes` at `position`, which is at most the current end. The buffer may be reused afterwards. */
	write(bytes: Uint8Array, position: number): Promise<void>;
	truncate(size: number): Promise<void>;
	/** Makes the bytes and the blob's name durable: once it resolves, they survive a power failure. */
	sync(): Promise<void>;
	/**
	 * Makes the bytes and the blob's name durable together with the database: once this has resolved, they survive a
	 * power failure at the latest from the next durable commit on.
	 */
	settle(): Promise<void>;
	/**
	 * Makes the blob ready for the transaction that names it: whatever the database does not keep is durable then. After
	 * that `storeWithin` is called in the transaction, and `stored` once it is committed.
	 */
	prepare(): Promise<void>;
	/** Stores what the database keeps of a prepared blob. It is called again for each further try of the transaction. */
	storeWithin(transaction: Knex.Transaction): Promise<void>;
	/** Says that the transaction was committed, so that `close` does not store the blob again. */
	stored(): void;
	/** Closes the blob, and stores what is not stored yet; a second call does nothing. */
	close(): Promise<void>;
}

/** Reads a blob. Several calls of its methods may run at the same time. */
export interface BlobReader {
	/** The number of bytes that the blob had when it was opened. */
	readonly size: number;
	/**
	 * Fills `target` from `position`, and returns the number of bytes read, which is smaller than `target` only at the end.
	 */
	read(target: Uint8Array, position: number): Promise<number>;
	/** Closes the blob; a second call does nothing. */
	close(): Promise<void>;
}

export interface BlobEntry {
	readonly id: string;
	/** The number of stored bytes, which is larger than the number of clear bytes. */
	readonly size: number;
	readonly modifiedAtMs: number;
}

/** Stores blobs. Failures keep the system's error code (`ENOSPC`). If the store is unavailable, the call may be repeated. */
export interface BlobStore {
	/** Begins a blob. If the id is used already, either this call fails or, when the blob is complete, its `settle`. */
	create(id: string): Promise<BlobAppender>;
	/**
	 * Opens an existing blob to append to it.
	 * @throws BlobMissingError
	 */
	append(id: string): Promise<BlobAppender>;
	/**
	 * Opens a blob for reading. The reader can still read it if this store removes the blob meanwhile; if another process
	 * does, its reads may fail.
	 * @throws BlobMissingError
	 */
	openRead(id: string): Promise<BlobReader>;
	/**
	 * Overwrites the first bytes of a blob durably; even after a crash either all of them are new or none. Others may
	 * read the blob and append to it meanwhile.
	 * @throws BlobMissingError
	 */
	replaceHead(id: string, head: Uint8Array): Promise<void>;
	/**
	 * Completes an interrupted replacement of a blob's first bytes. A reader that finds a damaged beginning calls this.
	 */
	finishHead(id: string): Promise<void>;
	/** Completes the interrupted replacements of all blobs. */
	finishHeads(): Promise<void>;
	/** Removes a blob; a missing blob is not an error. */
	remove(id: string): Promise<void>;
	/**
	 * Takes ids of blobs whose files were removed. Removes in the transaction those that are stored as rows and that no
	 * file names any more. Returns the other ids, whose blobs can only be removed after the commit.
	 */
	removeWithin(transaction: Knex.Transaction, ids: readonly string[]): Promise<string[]>;
	/**
	 * Returns a view of this store that keeps new small blobs in memory, until one transaction stores them and the
	 * files that name them.
	 */
	holding(): HoldingStore;
	/** Yields every blob, in no particular order. */
	list(): AsyncIterable<BlobEntry>;
	/**
	 * Removes parts of blobs that writers who died began to store before the given time and never put together. Returns how
	 * many uploads in parts these were.
	 */
	removeUnfinished(startedBeforeMs: number): Promise<number>;
	/**
	 * Returns the size of the disk and how many bytes of it files may still take. Both are infinite for a store whose end
	 * nobody knows. It fails if the disk is unreachable.
	 */
	space(): Promise<Space>;
	/**
	 * Writes a test file.
	 * @throws if nothing can be stored: the disk is full, has become read-only, or does not allow it
	 */
	checkWritable(): Promise<void>;
}

/** Tells, in bytes, the size of a store and how much of it files may still take. */
export interface Space {
	readonly total: number;
	readonly free: number;
}

/**
 * A store that keeps new small blobs in memory, until one transaction stores all of them and the files that name them,
 * or none.
 */
export interface HoldingStore extends BlobStore {
	/** The small blobs that are complete but not stored in the database yet, by their ids. */
	readonly held: ReadonlyMap<string, Buffer>;
}

/** @throws if a text is no id, of which a path or the name of an object may be made */
export function requireId(id: string): void {
	if (!isUlid(id)) throw new Error('internal error: not the id of a sealed file');
}

/** This error is thrown if there is no blob with the given id. */
export class BlobMissingError extends Error {
	override readonly name = 'BlobMissingError';
	constructor(id: string, options?: ErrorOptions) {
		super(`sealed file ${id} is not in the drop store`, options);
	}
}

/** This error is thrown if a store cannot be reached or refuses a call; the same call may succeed later. */
export class StoreAwayError extends Error {
	override readonly name = 'StoreAwayError';
}

/**
 * This error is thrown when files have filled the disk except for its last bytes, which are reserved for the database.
 */
export class OutOfSpaceError extends Error {
	override readonly name = 'OutOfSpaceError';
	readonly code = 'ENOSPC';
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Tells whether an error means that there is no space left. */
export function isOutOfSpace(error: unknown): boolean {
	return FULL.has((error as { code?: string } | null)?.code ?? '');
}
