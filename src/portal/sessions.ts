import type { Viewer } from './viewer.ts';

export interface PortalSessions {
	/**
	 * Returns the person of a session and moves its idle end, or undefined if the session has ended or its user may no
	 * longer use the portal.
	 */
	find(cookie: string | undefined, address: string | undefined): Promise<Viewer | undefined>;
}
