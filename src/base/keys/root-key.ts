// Defines the port to the root key, which may come from a file, an environment variable or a key service.

/** Wraps the few keys directly below the root. The root key itself never leaves its provider. */
export interface RootKey {
	/** A description for people, such as `file /etc/tokendrop/master.key`, never any key material. */
	readonly description: string;
	wrap(plain: Buffer): Promise<Buffer>;
	/**
	 * Decrypts a key.
	 * @throws RootKeyError if the root key is unreachable or is not the one that wrapped the key
	 */
	unwrap(wrapped: Buffer): Promise<Buffer>;
}

/**
 * This error is thrown if the root key is not available or does not match this database. Nothing is ever stored in
 * clear instead.
 */
export class RootKeyError extends Error {
	override readonly name = 'RootKeyError';
}

/** This error is thrown if the named key never existed in this database, or was lost when a backup was restored. */
export class UnknownKeyError extends RootKeyError {}
