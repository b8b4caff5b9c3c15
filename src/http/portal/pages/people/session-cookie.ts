import type { Client } from '../../../../portal/rooms.ts';
import type { NewSession } from '../../../../portal/sessions.ts';
import { writeCookie } from '../../cookies.ts';
import { isPortalPath } from '../../paths.ts';
import type { OpenCall } from '../../portal-page.ts';

/** Gives the browser the cookie of a session. It ends with the browser. */
export function keepSession(call: OpenCall, { cookie }: NewSession): void {
	writeCookie(call, 'session', cookie.reveal());
}

/** Says from where a call comes. */
export function clientOf({ request }: OpenCall): Client {
	return { address: request.ip, agent: request.headers['user-agent'] };
}

/** Returns where to go after the login: a path of the portal, whatever the address says. */
export function nextOf({ query, form }: Pick<OpenCall, 'query' | 'form'>): `/portal${string}` {
	const next = form.next ?? query.next;
	return isPortalPath(next) && !/^\/portal\/(login|logout|enter|forgotten)\b/.test(next) ? next : '/portal';
}
