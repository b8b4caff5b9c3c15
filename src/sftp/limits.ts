/** What one server allows; every figure bounds something an unknown client could otherwise grow. */
export interface SftpLimits {
	/** Connections that have not logged in yet, over all addresses; one more takes the place of another. */
	readonly maxStartups: number;
	/** As many of them are kept for addresses that logged in during the last day; fewer than `maxStartups`. */
	readonly reservedStartups: number;
	readonly maxStartupsPerAddress: number;
	/** A connection that has not said for this long which SSH it speaks is the first to lose its place. */
	readonly silentStartupMs: number;
	/** Logged-in connections in all, from one address, of one user. One more is refused like a wrong password. */
	readonly maxSessions: number;
	readonly maxSessionsPerAddress: number;
	readonly maxSessionsPerAccount: number;
	/** sftp channels over one connection. */
	readonly maxChannels: number;
	/** Open files and folders over one channel. */
	readonly maxHandles: number;
	/** From connect to a successful login. */
	readonly loginGraceMs: number;
	/** Refused attempts before the connection is ended. */
	readonly maxLoginTries: number;
	/** A refused login is answered no sooner than this, whatever the cause. */
	readonly failedLoginDelayMs: number;
	/** Without a request, a reply or an operation under way. */
	readonly idleTimeoutMs: number;
	readonly keepaliveMs: number;
	/** Keepalives without an answer before the connection is given up. */
	readonly maxMissedKeepalives: number;
	/** New session keys after this many bytes both ways, or this long. */
	readonly rekeyBytes: number;
	readonly rekeyAfterMs: number;
	/** Per channel: bytes of requests taken and not yet answered; above it the channel is not read. */
	readonly maxUnansweredBytes: number;
	/** Per channel: bytes of replies promised or waiting for a slow reader; above it the channel is not read. */
	readonly maxQueuedReplyBytes: number;
	/** Per channel: requests under way. */
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
	maxUnansweredBytes: 8 * 1024 * 1024,
	maxQueuedReplyBytes: 4 * 1024 * 1024,
	maxOutstandingRequests: 256,
};
