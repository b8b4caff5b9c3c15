// The interface between the SFTP protocol and the files that it shows: a session handles packets, a tree handles files.
// Paths are absolute, normalised POSIX paths ("/", "/tokenize/GBT/may.csv"), already decoded from UTF-8.

/** The status codes of SFTP v3 (draft-ietf-secsh-filexfer-02 §7) that a tree may answer. */
export type TreeFailure = 'no-such-file' | 'permission-denied' | 'failure' | 'unsupported' | 'out-of-space';

/** This refusal is told to the client. Most clients show `message`, so it says what the person should do instead. */
export class TreeError extends Error {
	override readonly name = 'TreeError';
	readonly failure: TreeFailure;
	constructor(failure: TreeFailure, message: string) {
		super(message);
		this.failure = failure;
	}
}

export interface TreeAttributes {
	readonly kind: 'file' | 'directory';
	/** The size in bytes; 0 for a directory. */
	readonly size: number;
	readonly modifiedAt: Date;
	/** The permission bits without the file type, for example 0o750. */
	readonly mode: number;
}

export interface TreeEntry extends TreeAttributes {
	readonly name: string;
}

export interface OpenMode {
	readonly read: boolean;
	readonly write: boolean;
	/** True if writes go to the end of the file, whatever offset they name. */
	readonly append: boolean;
	readonly create: boolean;
	readonly truncate: boolean;
	/** True if opening fails when a file of this name already exists. Clients set it together with `create`. */
	readonly exclusive: boolean;
}

/** An open file. Calls never overlap; `close` or `abandon` is called exactly once, as the last of them. */
export interface TreeFile {
	/** Returns up to `length` bytes from `offset`, or an empty buffer at or past the end. The buffer belongs to the caller. */
	read(offset: number, length: number): Promise<Buffer>;
	/**
	 * Stores `bytes` at `offset`. The buffer is used again once the promise has resolved, so a tree that keeps the bytes
	 * must copy them. Offsets may come slightly out of order, because some clients write concurrently.
	 */
	write(offset: number, bytes: Buffer): Promise<void>;
	attributes(): Promise<TreeAttributes>;
	/** Shortens an upload to `size` bytes. It fails for a size that is larger than the file's; the same size changes nothing. */
	truncate(size: number): Promise<void>;
	/** Makes all bytes written so far durable (fsync@openssh.com). */
	sync(): Promise<void>;
	/** Ends the use of the file, because the client closed it. When this resolves, an upload is durable and accepted. */
	close(): Promise<void>;
	/**
	 * Ends the use of the file, because the connection was lost while the handle was open. The received bytes are kept so
	 * that the client can resume; nothing is accepted.
	 */
	abandon(): Promise<void>;
}

/**
 * This is the tree of files that one logged-in session sees.
 * @throws TreeError from every method; the errors of a store that is away are answered as `temporarily unavailable`, and
 * any other error is a bug and is answered with FAILURE
 */
export interface Tree {
	attributes(path: string): Promise<TreeAttributes>;
	/** Yields the entries of a folder a few hundred at a time, so that a million names do not fill the memory. */
	list(path: string): AsyncIterable<readonly TreeEntry[]>;
	open(path: string, mode: OpenMode): Promise<TreeFile>;
	/** Shortens an unfinished upload that nobody has open, as `TreeFile.truncate` does one that is open. */
	truncate(path: string, size: number): Promise<void>;
	remove(path: string): Promise<void>;
	/** Renames a file. With `overwrite`, as in posix-rename, a target that is there is replaced; else it is a failure. */
	rename(from: string, to: string, overwrite: boolean): Promise<void>;
	makeDirectory(path: string): Promise<void>;
	removeDirectory(path: string): Promise<void>;
	/** Returns how many bytes there are for uploads, in all and still free (statvfs@openssh.com). */
	space(): Promise<{ readonly total: number; readonly free: number }>;
	/** Releases the tree when its session ends. It is called once. */
	close(): Promise<void>;
}
