// The colours of a page, light or dark, and the form with which a reader chooses them.

import type { FastifyRequest } from 'fastify';
import { badInput } from '../../../../base/errors.ts';
import { type Html, html } from '../../../../base/pages/html.ts';
import { keepChoice, readCookie, removeCookie } from '../cookies.ts';
import { csrfField } from '../csrf.ts';
import { isPortalPath } from '../paths.ts';
import { type OpenCall, post } from '../portal-page.ts';
import { icon } from './icons.ts';

const SCHEME_PATH = '/portal/scheme';
/** What can be chosen. With `system` a page is as the reader's system is. */
const CHOICES = ['system', 'light', 'dark'] as const;

/** Returns the colours that a reader has chosen; undefined if they are those of the system. */
export function chosenScheme(request: FastifyRequest): 'light' | 'dark' | undefined {
	const chosen = readCookie(request, 'scheme');
	return chosen === 'light' || chosen === 'dark' ? chosen : undefined;
}

/** Returns the buttons with which a reader chooses. The whole document is loaded again, because it is of one scheme. */
export function schemeForm(call: OpenCall, back: string): Html {
	const { say } = call;
	const present = chosenScheme(call.request) ?? 'system';
	const button = (name: (typeof CHOICES)[number]) =>
		html`<button class="plain" name="scheme" value="${name}" aria-label="${say(`frame.schemes.${name}`)}" title="${say(`frame.schemes.${name}`)}" aria-pressed="${name === present ? 'true' : 'false'}">${icon(name)}</button>
`;
	return html`<form method="post" action="${SCHEME_PATH}" class="schemes" data-whole>${csrfField(call)}<input type="hidden" name="back" value="${back}">
${CHOICES.map(button)}</form>
`;
}

/** Stores the colours that a reader has chosen in a cookie, and leads back to the page on which they were chosen. */
export const schemePage = post(SCHEME_PATH, 'anyone', async (call) => {
	const { scheme, back } = call.form;
	if (!CHOICES.some((each) => each === scheme)) throw badInput('scheme', `expected one of ${CHOICES.join(', ')}`);
	if (scheme === 'system') removeCookie(call, 'scheme');
	else keepChoice(call, 'scheme', scheme);
	return { redirectTo: isPortalPath(back) ? back : '/portal' };
});
