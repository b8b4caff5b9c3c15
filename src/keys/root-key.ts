// The port for the root key: at first a file or a variable, in production a key service.

/** Wraps the few keys directly below the root. The root key itself never leaves its provider. */
export interface RootKey {
	/** A description for people, such as `file /etc/tokendrop/master.key`, never any key material. */
	readonly description: string;
	/** Encrypts a key. */
	wrap(plain: Buffer): Promise<Buffer>;
	/** @throws RootKeyError when the root key is unreachable or is not the one that wrapped it. */
	unwrap(wrapped: Buffer): Promise<Buffer>;
}

/** The root key is not available or does not match this database. Nothing is ever stored in clear instead. */
export class RootKeyError extends Error {
	override readonly name = 'RootKeyError';
}

/** The named key never existed in this database, or was lost when a backup was restored. */
export class UnknownKeyError extends RootKeyError {}
