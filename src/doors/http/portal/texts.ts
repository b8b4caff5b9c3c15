// The texts of the portal: one flat file for each language, in which a key names a text.

import { fillText } from '../../../base/pages/languages/index.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };

/** The key of a text. The English file says which there are. */
export type TextKey = keyof typeof en;
export type Texts = Readonly<Record<TextKey, string>>;

/** Returns a text, with values in place of its `{placeholders}`. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export const TEXTS = { en, de, fr, es } as const satisfies Readonly<Record<string, Texts>>;
export type PortalLanguage = keyof typeof TEXTS;

/** The languages of the portal by their codes, each with its name in the language itself. */
export const PORTAL_LANGUAGES: Readonly<Record<PortalLanguage, string>> = {
	en: 'English',
	de: 'Deutsch',
	fr: 'Français',
	es: 'Español',
};

export function isPortalLanguage(code: string): code is PortalLanguage {
	return Object.hasOwn(TEXTS, code);
}

/** Returns the function that says the texts of a language. */
export function sayIn(language: PortalLanguage): Say {
	const texts: Texts = TEXTS[language];
	return (key, values) => (values ? fillText(texts[key], values) : texts[key]);
}

/** Tells whether there is a text of this key, which may be made of a name from somewhere else. */
export function isTextKey(key: string): key is TextKey {
	return Object.hasOwn(en, key);
}

/** Returns the texts whose keys begin with `prefix`, for a script: by what follows the prefix, and not filled in. */
export function textsUnder(language: PortalLanguage, prefix: string): Readonly<Record<string, string>> {
	const pairs = Object.entries(TEXTS[language]).filter(([key]) => key.startsWith(prefix));
	return Object.fromEntries(pairs.map(([key, text]) => [key.slice(prefix.length), text]));
}
