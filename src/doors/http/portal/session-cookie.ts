// What the pages share with which people come in: the cookie of a session, the browser, and where to go on.

import type { Client } from '../../../people/portal-users/client.ts';
import type { Portal } from '../../../people/portal-users/portal.ts';
import type { NewSession } from '../../../people/portal-users/sign-in/sessions.ts';
import { writeCookie } from './cookies.ts';
import { isPortalPath } from './paths.ts';
import type { OpenCall, PortalCall } from './portal-page.ts';
import { SessionEndedError } from './refusals.ts';

/**
 * Sends the cookie of a new session to the browser. The browser deletes the cookie when the user closes the browser.
 */
export function keepSession(call: OpenCall, { cookie }: NewSession): void {
	writeCookie(call, 'session', cookie.reveal());
}

/**
 * Goes on with a call in a session that it has opened in place of its own, and sends the cookie of that session.
 * @throws SessionEndedError if the session has ended meanwhile
 */
export async function inNewSession(
	call: PortalCall,
	session: NewSession,
	{ sessions }: Pick<Portal, 'sessions'>,
): Promise<PortalCall> {
	keepSession(call, session);
	const { ip, id: requestId } = call.request;
	const viewer = await sessions.find(session.cookie.reveal(), ip, { requestId });
	if (!viewer) throw new SessionEndedError();
	return { ...call, viewer };
}

/** Returns the IP address and the browser from which a request comes. */
export function clientOf({ request }: OpenCall): Client {
	return { address: request.ip, agent: request.headers['user-agent'] };
}

/** Returns the page to open after the login: always a path of the portal, even if the URL names another site. */
export function nextOf({ query, form }: Pick<OpenCall, 'query' | 'form'>): `/portal${string}` {
	const next = form.next ?? query.next;
	return isPortalPath(next) && !/^\/portal\/(login|logout|enter|forgotten|sso)\b/.test(next) ? next : '/portal';
}
