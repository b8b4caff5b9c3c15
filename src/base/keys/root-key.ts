// Defines the port to the root key, which may come from a file, an environment variable or a key service.

/** Wraps the few keys directly below the root. The root key itself never leaves its provider. */
export interface RootKey {
	/** A description for people, such as `file /etc/tokendrop/master.key`, never any key material. */
	readonly description: string;
	wrap(plain: Buffer): Promise<Buffer>;
	/**
	 * Decrypts a key.
	 * @throws RootKeyAwayError if the root key cannot be asked at the moment
	 * @throws RootKeyError if the root key is not the one that wrapped the key, or its service refuses to use it
	 */
	unwrap(wrapped: Buffer): Promise<Buffer>;
	/** Ends the connections or processes that the provider holds. */
	close(): Promise<void> | void;
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

/**
 * This error is thrown if the service of the root key gives no answer that says anything about the key: it cannot be reached, is
 * sealed, has no time, or does not accept our login. A daemon goes on with the keys that it has opened.
 */
export class RootKeyAwayError extends RootKeyError {}
