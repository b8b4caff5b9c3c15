// Writes the HTML attributes of live parts: elements that a page asks for again, if JavaScript is on, when something has
// changed of what they show.

import { type Html, type HtmlValue, html } from '../../../../base/pages/html.ts';
import type { ChangeKind } from '../../../../work/changes/changes.ts';

/** The query parameter that marks requests which a page sends by itself. Such requests do not extend a session. */
export const BY_ITSELF = 'refresh';

const ASKED_BY_ITSELF = new RegExp(`[?&]${BY_ITSELF}=1$`);

/** Returns the path and query that a reader has asked for, of a request that the page has sent by itself or not. */
export function askedOf(url: string): string {
	return url.replace(ASKED_BY_ITSELF, '');
}

/** The header of a request for a part of a page; the answer is the part alone. */
export const PART_HEADER = 'x-portal-part';

/** The header of a request for a page that takes the place of the one that is shown, in the same document. */
export const WALK_HEADER = 'x-portal-walk';

/** The header of an answer that leads to the sign-in page, for a script that cannot follow a redirect there. */
export const LOGIN_HEADER = 'x-portal-login';

/** A part of a page that fetches itself again when something of these kinds has changed. */
export interface LivePart {
	readonly id: string;
	readonly kinds: readonly ChangeKind[];
}

/** Returns a live part. It stays as it is once nothing moves any more. */
export function livePart(
	{ id, kinds }: LivePart,
	{ path, isMoving, body }: { readonly path: string; readonly isMoving: boolean; readonly body: HtmlValue },
): Html {
	const asked = `${path}${path.includes('?') ? '&' : '?'}${BY_ITSELF}=1`;
	const live = isMoving && html` data-live="${kinds.join(' ')}" data-href="${asked}"`;
	return html`<div id="${id}"${live}>${body}</div>`;
}
