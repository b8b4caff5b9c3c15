// What the daemon and the process that loads the library of an HSM say to each other.

/** Names a key in a token. */
export interface TokenPlace {
	/** The library of the vendor, a path. */
	readonly library: string;
	readonly tokenLabel: string;
	readonly keyLabel: string;
}

export interface LibraryQuestion {
	readonly id: number;
	readonly operation: 'wrap' | 'unwrap';
	readonly place: TokenPlace;
	readonly pin: string;
	readonly bytes: Uint8Array;
}

/**
 * `away`: the token is not there or does not work at the moment. `login`: it does not take the PIN. `refused`: the key is not
 * there, may not be used, or is not the one that wrapped.
 */
export type LibraryFailure = 'away' | 'login' | 'refused';

export type LibraryAnswer =
	| { readonly id: number; readonly bytes: Uint8Array }
	| { readonly id: number; readonly failure: LibraryFailure; readonly why: string };
