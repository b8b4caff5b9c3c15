// Makes the attributes of live parts. Elements with such attributes ask the portal by themselves, if there is JavaScript;
// the extension `hx-csp` ignores all that do not have the nonce of the page.

import { type Html, html } from '../../pages/html.ts';
import type { OpenCall } from './portal-page.ts';

/** Stands in the query of what a page asks by itself. Such a request does not keep a session from ending. */
export const BY_ITSELF = 'refresh';

/** Returns the attributes of an element that replaces itself every few seconds, by the fragment at a path. */
export function refreshing({ nonce }: Pick<OpenCall, 'nonce'>, path: string, seconds: number): Html {
	const asked = `${path}${path.includes('?') ? '&' : '?'}${BY_ITSELF}=1`;
	return html` hx-get="${asked}" hx-trigger="every ${seconds}s" hx-swap="outerHTML" hx-nonce="${nonce}"`;
}

/** Returns the attributes of a form or field that fills an element with the fragment at a path when it changes. */
export function filling({ nonce }: Pick<OpenCall, 'nonce'>, path: string, target: string): Html {
	return html` hx-get="${path}" hx-trigger="change, input delay:300ms" hx-target="#${target}" hx-swap="outerHTML" hx-nonce="${nonce}"`;
}
