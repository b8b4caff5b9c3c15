// What the pages share with which people come in: the cookie of a session, the browser, and where to go on.

import type { Client } from '../../../people/portal-users/client.ts';
import type { NewSession } from '../../../people/portal-users/sign-in/sessions.ts';
import { writeCookie } from './cookies.ts';
import { isPortalPath } from './paths.ts';
import type { OpenCall } from './portal-page.ts';

/**
 * Sends the cookie of a new session to the browser. The browser deletes the cookie when the user closes the browser.
 */
export function keepSession(call: OpenCall, { cookie }: NewSession): void {
	writeCookie(call, 'session', cookie.reveal());
}

/** Returns the IP address and the browser from which a request comes. */
export function clientOf({ request }: OpenCall): Client {
	return { address: request.ip, agent: request.headers['user-agent'] };
}

/** Returns the page to open after the login: always a path of the portal, even if the URL names another site. */
export function nextOf({ query, form }: Pick<OpenCall, 'query' | 'form'>): `/portal${string}` {
	const next = form.next ?? query.next;
	return isPortalPath(next) && !/^\/portal\/(login|logout|enter|forgotten)\b/.test(next) ? next : '/portal';
}

/** Reads JSON from a script; returns undefined if the text is not valid. */
export function readJson(text: string | undefined): unknown {
	try {
		return JSON.parse(text ?? '');
	} catch {
		return undefined;
	}
}
