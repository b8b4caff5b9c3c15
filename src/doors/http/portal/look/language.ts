// The language of a page, and the page on which a reader chooses another one.

import type { FastifyRequest } from 'fastify';
import { badInput } from '../../../../base/errors.ts';
import type { Viewer } from '../../../../people/portal-users/viewer.ts';
import { keepChoice, readCookie } from '../cookies.ts';
import { isPortalPath } from '../paths.ts';
import { post } from '../portal-page.ts';
import { isPortalLanguage, type PortalLanguage } from '../texts.ts';

const MAX_WISHES = 20;

/**
 * Returns the language of a page: the one that the reader has chosen, else that of the user's settings, else the first
 * supported one of the browser, else English.
 */
export function portalLanguage(request: FastifyRequest, viewer: Viewer | undefined): PortalLanguage {
	const accepted = (request.headers['accept-language'] ?? '').split(',', MAX_WISHES);
	const wishes = [readCookie(request, 'language'), viewer?.user.language, ...accepted];
	for (const wish of wishes) {
		const code = (wish ?? '').trim().toLowerCase().slice(0, 2);
		if (isPortalLanguage(code)) return code;
	}
	return 'en';
}

/** Stores the language that a reader has chosen in a cookie, and leads back to the page on which it was chosen. */
export const languagePage = post('/portal/language', 'anyone', async (call) => {
	const { language, back } = call.form;
	if (language === undefined || !isPortalLanguage(language)) throw badInput('language', 'expected one of the list');
	keepChoice(call, 'language', language);
	return { redirectTo: isPortalPath(back) ? back : '/portal' };
});
