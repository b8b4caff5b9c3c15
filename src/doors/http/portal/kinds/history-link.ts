// Leads from a page about a thing to the entries of the trail about it.

import { type Html, html } from '../../../../base/pages/html.ts';
import type { TrailObject } from '../../../../trail/questions/trail-object.ts';
import type { PortalCall } from '../portal-page.ts';

export const TRAIL = '/portal/trail';

export interface History {
	readonly about: TrailObject['kind'];
	readonly name: string | number;
}

/** Returns the link, for those who may read the trail. The history has a page of its own, because reading it is an entry. */
export function historyLink({ say, viewer }: PortalCall, { about, name }: History): Html {
	if (!viewer.has('trail.see')) return html``;
	// The names of people are often addresses, which stay readable.
	const named = encodeURIComponent(name).replaceAll('%40', '@');
	const label = say(about === 'token' ? 'trail.whoSaw' : 'trail.history');
	return html`<p class="history"><a href="${TRAIL}?about=${about}&amp;name=${named}">${label}</a></p>
`;
}
