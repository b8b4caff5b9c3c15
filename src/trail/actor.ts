/** Describes who makes a call: the user, the credential and the network address. */
export interface Caller {
	readonly userId: string;
	/** The id of the credential, for example `api-key 7`. */
	readonly credential: string | null;
	/** The network address that the call came from, if the listener knows it. */
	readonly address?: string;
}

/** The author of an action, as the audit trail names it: `daemon`, `operator root`, or a caller. */
export type Actor = string | Caller;
