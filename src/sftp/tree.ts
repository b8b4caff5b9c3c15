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
	/** Bytes; 0 for a directory. */
	readonly size: number;
	readonly modifiedAt: Date;
	/** Permission bits without the file type: 0o750. */
	readonly mode: number;
}

export interface TreeEntry extends TreeAttributes {
	readonly name: string;
}

export interface OpenMode {
	readonly read: boolean;
	readonly write: boolean;
	/** Writes go to the end whatever offset they name. */
	readonly append: boolean;
	readonly create: boolean;
	readonly truncate: boolean;
	/** With `create`: fail when the name exists. */
	readonly exclusive: boolean;
}

/** An open file. Calls may overlap (clients pipeline); `close` or `abandon` is called exactly once, after the last of them. */
export interface TreeFile {
	/** Present on a file of which every reading is to be in the audit trail: its path, as listings spell it. */
	readonly auditedPath?: string | undefined;
	/** Present on what came of a file that was sent: the id of its job. */
	readonly outputOf?: string | undefined;
	/** Up to `length` bytes from `offset`; an empty buffer at or past the end. */
	read(offset: number, length: number): Promise<Buffer>;
	/**
	 * Takes `bytes` for `offset`. The buffer is the tree's from then on. May be called again before the promise
	 * settles, and slightly out of order (some clients write concurrently).
	 */
	write(offset: number, bytes: Buffer): Promise<void>;
	attributes(): Promise<TreeAttributes>;
	/** All bytes written so far are durable when this settles (fsync@openssh.com). */
	sync(): Promise<void>;
	/** The client closed the handle: an upload is durable and accepted when this settles. */
	close(): Promise<void>;
	/** The connection went away with the handle open: keep what came so that the client can resume, accept nothing. */
	abandon(): Promise<void>;
}

/** What one logged-in session sees. @throws TreeError from every method; anything else is a bug and answers FAILURE. */
export interface Tree {
	attributes(path: string): Promise<TreeAttributes>;
	/** Entries in pages, each page a few hundred at most, so that a folder of a million names stays bounded. */
	list(path: string): AsyncIterable<readonly TreeEntry[]>;
	open(path: string, mode: OpenMode): Promise<TreeFile>;
	remove(path: string): Promise<void>;
	/** `overwrite` is posix-rename; without it an existing target is a failure. */
	rename(from: string, to: string, overwrite: boolean): Promise<void>;
	makeDirectory(path: string): Promise<void>;
	removeDirectory(path: string): Promise<void>;
	/** Room for more uploads, in bytes (statvfs@openssh.com). */
	space(): Promise<{ readonly total: number; readonly free: number }>;
	/** The session ended; called once. */
	close(): Promise<void>;
}
