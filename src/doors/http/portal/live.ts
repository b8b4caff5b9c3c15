// Writes the HTML attributes of live parts: elements that the script htmx fetches again from the portal, if JavaScript
// is on. Its extension `hx-csp` ignores elements that do not have the nonce of the page.

import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import type { OpenCall } from './portal-page.ts';

/** The query parameter that marks requests which a page sends by itself. Such requests do not extend a session. */
export const BY_ITSELF = 'refresh';

/** Returns the attributes of an element that replaces itself every few seconds with the fragment at a path. */
function refreshing({ nonce }: Pick<OpenCall, 'nonce'>, path: string, seconds: number): Html {
	const asked = `${path}${path.includes('?') ? '&' : '?'}${BY_ITSELF}=1`;
	return html` hx-get="${asked}" hx-trigger="every ${seconds}s" hx-swap="outerHTML" hx-nonce="${nonce}"`;
}

/**
 * Returns the attributes of a form or field. When it changes, the fragment at a path replaces the element with the id
 * `target`.
 */
export function filling({ nonce }: Pick<OpenCall, 'nonce'>, path: string, target: string): Html {
	return html` hx-get="${path}" hx-trigger="change, input delay:300ms" hx-target="#${target}" hx-swap="outerHTML" hx-nonce="${nonce}"`;
}

/** A part of a page that fetches itself again after some seconds while what it shows moves. */
export interface LivePart {
	readonly id: string;
	readonly seconds: number;
}

/** Returns a live part. It stays as it is once nothing moves any more. */
export function livePart(
	call: Pick<OpenCall, 'nonce'>,
	{ id, seconds }: LivePart,
	{ path, isMoving, body }: { readonly path: string; readonly isMoving: boolean; readonly body: HtmlValue },
): Html {
	return html`<div id="${id}"${isMoving && refreshing(call, path, seconds)}>${body}</div>`;
}
