// The port between the SFTP protocol and whatever it shows: the session speaks packets, a tree speaks files.
// Paths are absolute, normalised POSIX paths ("/", "/tokenize/GBT/may.csv"), already decoded from UTF-8.

/** The status codes of SFTP v3 (draft-ietf-secsh-filexfer-02 §7) that a tree may answer. */
export type TreeFailure = 'no-such-file' | 'permission-denied' | 'failure' | 'unsupported' | 'out-of-space';

/** A refusal the client is told: `message` is shown by most clients, so it says what to do instead. */
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
	/** The permission bits without the file type: 0o750. */
	readonly mode: number;
}

export interface TreeEntry extends TreeAttributes {
	readonly name: string;
}

export interface OpenMode {
	readonly read: boolean;
	readonly write: boolean;
	/** Writes go to the end, whatever offset they name. */
	readonly append: boolean;
	readonly create: boolean;
	readonly truncate: boolean;
	/** With `create`: opening fails if the name exists. */
	readonly exclusive: boolean;
}

/** An open file. Calls never overlap; `close` or `abandon` is called exactly once, as the last of them. */
export interface TreeFile {
	/** Is set on a file whose every download must be in the audit trail: its path, as listings spell it. */
	readonly auditedPath?: string | undefined;
	/** Is set on the output of a job: the id of that job. */
	readonly outputOf?: string | undefined;
	/** Returns up to `length` bytes from `offset`, or an empty buffer at or past the end. The buffer belongs to the caller. */
	read(offset: number, length: number): Promise<Buffer>;
	/**
	 * Stores `bytes` at `offset`. The buffer is used again once this settles, so whoever keeps bytes copies them. Offsets
	 * may come slightly out of order, because some clients write concurrently.
	 */
	write(offset: number, bytes: Buffer): Promise<void>;
	attributes(): Promise<TreeAttributes>;
	/** When this resolves, all bytes written so far are durable (fsync@openssh.com). */
	sync(): Promise<void>;
	/** The client closed the handle. When this resolves, an upload is durable and accepted. */
	close(): Promise<void>;
	/**
	 * The connection was lost while the handle was open. What came is kept so that the client can resume; nothing is
	 * accepted.
	 */
	abandon(): Promise<void>;
}

/** What one logged-in session sees. @throws TreeError from every method; anything else is a bug and answers FAILURE. */
export interface Tree {
	attributes(path: string): Promise<TreeAttributes>;
	/** Yields entries in pages of a few hundred at most, so that a folder of a million names does not fill the memory. */
	list(path: string): AsyncIterable<readonly TreeEntry[]>;
	open(path: string, mode: OpenMode): Promise<TreeFile>;
	remove(path: string): Promise<void>;
	/** `overwrite` means posix-rename; without it an existing target is a failure. */
	rename(from: string, to: string, overwrite: boolean): Promise<void>;
	makeDirectory(path: string): Promise<void>;
	removeDirectory(path: string): Promise<void>;
	/** Returns the room for more uploads in bytes (statvfs@openssh.com). */
	space(): Promise<{ readonly total: number; readonly free: number }>;
	/** The session ended. This is called once. */
	close(): Promise<void>;
}
