/**
 * The other processes of this daemon. They share the database with it, and through this they learn at once what is kept in
 * memory only.
 */
export interface Siblings {
	/** Tells every other process. What is told must be JSON, and must hold no secret. */
	tell(topic: string, news: unknown): void;
	/** Calls the listener with what another process tells about the topic. */
	hear<News>(topic: string, listener: (news: News) => void): void;
}

/** For a daemon that has one process. */
export const noSiblings: Siblings = { tell() {}, hear() {} };
