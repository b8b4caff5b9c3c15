// The port behind which the root key lives: a file or a variable for a start, a key service for real.

/** Wraps the few keys that stand directly below the root. The root key itself never leaves its provider. */
export interface RootKey {
	/** For people: `file /etc/tokendrop/master.key`, never any key material. */
	readonly description: string;
	/** Encrypts a key. */
	wrap(plain: Buffer): Promise<Buffer>;
	/** @throws RootKeyError when the root key is unreachable or is another one than wrapped it. */
	unwrap(wrapped: Buffer): Promise<Buffer>;
}

/** The root key cannot be had, or does not fit this database. Nothing is ever stored in clear instead. */
export class RootKeyError extends Error {
	override readonly name = 'RootKeyError';
}

/** Something names a key that this database never had, or has lost with a backup that was put back. */
export class UnknownKeyError extends RootKeyError {}
