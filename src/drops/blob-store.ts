// The port below sealed files: where their bytes lie. Blobs are opaque here, and known by id alone.

/** A blob being written. One call at a time. */
export interface BlobAppender {
	/** Bytes in the blob when it was opened. */
	readonly size: number;
	/** Writes all of `bytes` at `position`, which is at most the end so far. The buffer is free again afterwards. */
	write(bytes: Uint8Array, position: number): Promise<void>;
	/** Cuts the blob to `size` bytes. */
	truncate(size: number): Promise<void>;
	/** The bytes, and the blob's name, survive a loss of power when this settles. */
	sync(): Promise<void>;
	/** The second call does nothing. */
	close(): Promise<void>;
}

/** A blob being read. Calls may overlap. */
export interface BlobReader {
	/** Bytes in the blob when it was opened. */
	readonly size: number;
	/** Fills `target` from `position`; fewer bytes only at the end. */
	read(target: Uint8Array, position: number): Promise<number>;
	/** The second call does nothing. */
	close(): Promise<void>;
}

export interface BlobEntry {
	readonly id: string;
	/** Stored bytes, which are more than the clear ones. */
	readonly size: number;
	readonly modifiedAtMs: number;
}

/** Failures keep the code of the system (`ENOSPC`); what is away may be tried again. */
export interface BlobStore {
	/** @throws when the id is taken. */
	create(id: string): Promise<BlobAppender>;
	/** Opens an existing blob to go on with it. @throws BlobMissingError */
	append(id: string): Promise<BlobAppender>;
	/** A reader keeps reading what it opened even when the blob is removed meanwhile. @throws BlobMissingError */
	openRead(id: string): Promise<BlobReader>;
	/**
	 * Overwrites the first bytes of a blob, all of them or none, whatever dies; durable when it settles. Others may read
	 * the blob and append to it meanwhile. @throws BlobMissingError
	 */
	replaceHead(id: string, head: Uint8Array): Promise<void>;
	/** Goes on with a replacement that was cut off, of one blob. A reader that finds a torn head asks for it. */
	finishHead(id: string): Promise<void>;
	/** The same for all of them. */
	finishHeads(): Promise<void>;
	/** Removes a blob; one that is not there is no error. */
	remove(id: string): Promise<void>;
	/** Every blob, in no order. */
	list(): AsyncIterable<BlobEntry>;
	/** Bytes in all and bytes that files may still take; also tells whether the store is reachable. */
	space(): Promise<{ readonly total: number; readonly free: number }>;
	/** Writes something. @throws while nothing can be stored: a full disk, no right to, or one that has become read-only */
	checkWritable(): Promise<void>;
}

/** There is no blob of that id. */
export class BlobMissingError extends Error {
	override readonly name = 'BlobMissingError';
	constructor(id: string, options?: ErrorOptions) {
		super(`sealed file ${id} is not in the drop store`, options);
	}
}

/** Told before a disk says so itself. */
export class OutOfSpaceError extends Error {
	override readonly name = 'OutOfSpaceError';
	readonly code = 'ENOSPC';
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether an error says that there is no room left. */
export function isOutOfSpace(error: unknown): boolean {
	return FULL.has((error as { code?: string } | null)?.code ?? '');
}
