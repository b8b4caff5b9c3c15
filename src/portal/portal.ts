import type { Viewer } from './viewer.ts';

/** Knows who may enter the portal. */
export interface Portal {
	readonly sessions: {
		/** Returns who has the session of a cookie, and moves its idle end; undefined if there is no such session. */
		find(cookie: string, address: string): Promise<Viewer | undefined>;
	};
}
