import { ServiceError } from '../../../base/errors.ts';
import { keepLanguage } from './cookies.ts';
import { isPortalPath } from './paths.ts';
import type { OpenPage } from './portal-page.ts';
import { isPortalLanguage } from './texts.ts';

/** Stores the language that a reader has chosen in a cookie, and leads back to the page on which it was chosen. */
export const languagePage: OpenPage = {
	path: '/portal/language',
	method: 'POST',
	right: 'anyone',
	async handle(call) {
		const { language, back } = call.form;
		if (language === undefined || !isPortalLanguage(language))
			throw new ServiceError('bad-input-data', { field: 'language', problem: 'expected one of the list' });
		keepLanguage(call, language);
		return { redirectTo: isPortalPath(back) ? back : '/portal' };
	},
};
