/** Describes a user, with the credential and the address of the call. */
export interface Caller {
	readonly userId: string;
	/** The id of the credential, for example `api-key 7`. */
	readonly credential: string | null;
	/** The address of the call, as far as the listener knows it. */
	readonly address?: string;
}

/** The author of an action, as the audit trail names it: `daemon`, `operator root`, or a caller. */
export type Actor = string | Caller;
