/** A user, with the credential and the address that their call came with. */
export interface Caller {
	readonly userId: string;
	/** By its id: `api-key 7`. */
	readonly credential: string | null;
	/** As far as the door knows it. */
	readonly address?: string;
}

/** Who did something, as the audit trail names them: `daemon`, `operator root`, or a caller. */
export type Actor = string | Caller;
