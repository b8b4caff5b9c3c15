// Who may enter the portal: users, their passwords and second factors, and their sessions.

import type { PortalSessions } from './sessions.ts';

export interface Portal {
	readonly sessions: PortalSessions;
}
