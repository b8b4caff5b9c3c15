/** Says which of how many processes a process is. */
export interface Standing {
	/** Its number, beginning with 1. A process that takes the place of another has the same number. */
	readonly number: number;
	readonly count: number;
}

/** A session for which a process asks a place. */
export interface Session {
	readonly address: string;
	readonly userName: string;
}
