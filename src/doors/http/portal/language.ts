import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import { readCookie } from './cookies.ts';
import { isPortalLanguage, type PortalLanguage } from './texts.ts';

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
