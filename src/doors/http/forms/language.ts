import { languageOf } from '../../../base/pages/languages/index.ts';

/** Matches a language code, with or without a country. Other texts are ignored. */
const CODE = /^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*$/;
const MAX_WISHES = 20;

/**
 * Returns the code of the language in which a page is written: the language that the caller names, else the first
 * supported language of the browser, else English.
 */
export function readableLanguage(named: string | undefined, accepted: string | undefined): string {
	if (named && CODE.test(named)) return languageOf(named);
	for (const wish of (accepted ?? '').split(',', MAX_WISHES)) {
		const [code] = wish.split(';');
		if (/^en\b/i.test(code.trim()) || languageOf(code) !== 'en') return languageOf(code);
	}
	return languageOf(undefined);
}
