// Writes the heading of the page to which the link of a card request leads.

import { type Html, html } from '../../../base/pages/html.ts';
import { fillText, textsOf } from '../../../base/pages/languages/index.ts';
import type { CardRequest } from '../../../work/cardholders/requests/card-request.ts';
import { shownTime } from '../../../work/cardholders/requests/shown-time.ts';

type ShownRequest = Pick<CardRequest, 'kind' | 'reference' | 'id' | 'lastDigits' | 'expiresAt'>;

/** Returns the heading above the form: who asks, for what, and until when. */
export function headingOf(
	{ kind, reference, id, lastDigits, expiresAt }: ShownRequest,
	sender: string,
	language: string,
): Html {
	const texts = textsOf(language).request;
	const number = `•••• ${lastDigits ?? ''}`.trim();
	return html`<h1 id="title">${fillText(texts.title, { sender })}</h1>
<p>${kind === 'cvv' ? fillText(texts.introCvv, { sender, number }) : fillText(texts.intro, { sender })}</p>
${
	reference !== id &&
	html`<p>${fillText(texts.reference, { reference })}</p>
`
}<p>${fillText(texts.expires, { time: shownTime(expiresAt, language) })}</p>`;
}
