import type { Viewer } from '../../../people/portal-users/viewer.ts';
import { answerJson } from '../negotiation/answer.ts';
import type { PortalParts } from './parts.ts';
import { get, type PortalPage } from './portal-page.ts';

export const SESSION_PATH = '/portal/session';

/**
 * Answers with the seconds until the session ends. This request extends the session, as a request for any page does.
 */
export function sessionPage({ clock }: Pick<PortalParts, 'clock'>): PortalPage {
	return get(SESSION_PATH, 'signed-in', async ({ viewer }) => ({
		send: (reply) => answerJson(reply, { seconds: secondsLeft(viewer, clock.now().getTime()) }),
	}));
}

export function secondsLeft({ session }: Viewer, nowMs: number): number {
	return Math.max(0, Math.round((session.idleEndsAtMs - nowMs) / 1000));
}
