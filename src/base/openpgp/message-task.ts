// What the thread for OpenPGP messages is asked to do, and how the bytes of a message go to it and come back.

/** A key with the name that the account gave it, which refusals repeat. Public and secret keys are armored. */
export interface NamedKey {
	readonly name: string;
	readonly armored: string;
}

export interface DecryptTask {
	readonly kind: 'decrypt';
	/** The account's own keys, of which one must open the message. */
	readonly keys: readonly NamedKey[];
	/** Whose signatures count. */
	readonly signers: readonly NamedKey[];
	/** What becomes of a message that none of them has signed. */
	readonly unsigned: 'refuse' | 'accept';
	/** A compressed message may unpack to at most this many bytes. */
	readonly maxUnpackedBytes: number;
}

export interface EncryptTask {
	readonly kind: 'encrypt';
	readonly readers: readonly NamedKey[];
	readonly signer: NamedKey | undefined;
	readonly armor: boolean;
	readonly compress: Compression;
}

export const COMPRESSIONS = ['none', 'zip', 'zlib'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export type MessageTask = DecryptTask | EncryptTask;

/** What the thread receives: a task, and the port over which the bytes of its message go both ways. */
export interface ToMessageThread {
	readonly task: MessageTask;
	readonly port: import('node:worker_threads').MessagePort;
}

/** What is sent over the port, in both directions: a piece, the word that one was taken, or that no more follow. */
export type Piece = { readonly piece: Uint8Array<ArrayBuffer> } | 'taken' | 'end';

/** So many pieces may be under way in each direction, so that a slow receiver holds up a quick sender. */
export const MOST_UNDER_WAY = 4;
