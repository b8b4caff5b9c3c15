/** Holds the limits of one server. Each bounds something that an unknown client could otherwise make grow. */
export interface SftpLimits {
	/**
	 * At most this many connections that have not logged in are open, from all addresses together. If one more comes, one
	 * of them is dropped for it.
	 */
	readonly maxStartups: number;
	/**
	 * This many slots for connections before the login are reserved for addresses that logged in during the last day. It
	 * must be less than `maxStartups`.
	 */
	readonly reservedStartups: number;
	readonly maxStartupsPerAddress: number;
	/** A connection that has not named its SSH version for this long is dropped first when a new one needs space. */
	readonly silentStartupMs: number;
	/**
	 * The largest numbers of logged-in connections: in all, from one address, and of one user. A login beyond them is
	 * refused in the same way as one with a wrong password.
	 */
	readonly maxSessions: number;
	readonly maxSessionsPerAddress: number;
	readonly maxSessionsPerAccount: number;
	readonly maxChannels: number;
	/** At most this many files and folders are open in one channel. */
	readonly maxHandles: number;
	/** A client has to log in within this time after it connected. */
	readonly loginGraceMs: number;
	/** The connection ends after this many refused attempts to log in. */
	readonly maxLoginTries: number;
	/** A refused login is answered after this time at the earliest, whatever the cause. */
	readonly failedLoginDelayMs: number;
	/** The session ends after this time without a request, a reply or a running operation. */
	readonly idleTimeoutMs: number;
	readonly keepaliveMs: number;
	/** The connection is closed after this many keepalives without an answer. */
	readonly maxMissedKeepalives: number;
	/** New session keys are exchanged after this many bytes, sent and received together, or after this time. */
	readonly rekeyBytes: number;
	readonly rekeyAfterMs: number;
	/**
	 * All connections together hold about this many bytes in memory for their clients. Each connection may hold as much
	 * as is still free, but always at least one packet.
	 */
	readonly maxHeldBytes: number;
	/** If a channel has received this many bytes of requests that are not answered yet, it is not read any further. */
	readonly maxUnansweredBytes: number;
	/** If a channel has this many bytes of replies promised or waiting for a slow reader, it is not read any further. */
	readonly maxQueuedReplyBytes: number;
	/** At most this many requests of one channel are in progress. */
	readonly maxOutstandingRequests: number;
}

export const defaultSftpLimits: SftpLimits = {
	maxStartups: 100,
	reservedStartups: 20,
	maxStartupsPerAddress: 20,
	silentStartupMs: 2_000,
	maxSessions: 200,
	maxSessionsPerAddress: 100,
	maxSessionsPerAccount: 20,
	maxChannels: 8,
	maxHandles: 64,
	loginGraceMs: 30_000,
	maxLoginTries: 6,
	failedLoginDelayMs: 300,
	idleTimeoutMs: 15 * 60_000,
	keepaliveMs: 30_000,
	maxMissedKeepalives: 4,
	rekeyBytes: 1024 ** 3,
	rekeyAfterMs: 3_600_000,
	maxHeldBytes: 8 * 1024 * 1024,
	maxUnansweredBytes: 8 * 1024 * 1024,
	maxQueuedReplyBytes: 4 * 1024 * 1024,
	maxOutstandingRequests: 256,
};
