// The texts of the portal: one flat file for each language, in which a key names a text.

import { fillText } from '../../../base/pages/languages/index.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };

type StoredKey = keyof typeof en;
type OneOf<Key> = Key extends `${infer Stem}.one` ? Stem : never;
type OtherOf<Key> = Key extends `${infer Stem}.other` ? Stem : never;
/** The key of a text with the forms `.one` and `.other`, of which its value `count` chooses one. */
type CountedKey = OneOf<StoredKey> & OtherOf<StoredKey>;

/** The key of a text. The English file says which there are. */
export type TextKey = StoredKey | CountedKey;
export type Texts = Readonly<Record<StoredKey, string>>;

/**
 * Returns a text, with values in place of its `{placeholders}`. Of a text with forms it returns the one for the number
 * `count`, which is written as in the language of the text.
 */
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

export function sayIn(language: PortalLanguage): Say {
	const texts: Readonly<Record<string, string>> = TEXTS[language];
	return (key, values) => {
		const text = texts[key];
		if (text !== undefined) return values ? fillText(text, values) : text;
		const number = Number(values?.count);
		const form = formsOf(language).select(number) === 'one' ? 'one' : 'other';
		return fillText(texts[`${key}.${form}`], { ...values, count: number.toLocaleString(language) });
	};
}

/** Rules are kept, because creating them takes longer than using them. */
const rules = new Map<PortalLanguage, Intl.PluralRules>();

function formsOf(language: PortalLanguage): Intl.PluralRules {
	const kept = rules.get(language) ?? new Intl.PluralRules(language);
	rules.set(language, kept);
	return kept;
}

/** Tells whether there is a text of this key, which may be made of a name from somewhere else. */
export function isTextKey(key: string): key is StoredKey {
	return Object.hasOwn(en, key);
}

/** Returns the texts whose keys begin with `prefix`, for a script: by what follows the prefix, and not filled in. */
export function textsUnder(language: PortalLanguage, prefix: string): Readonly<Record<string, string>> {
	const pairs = Object.entries(TEXTS[language]).filter(([key]) => key.startsWith(prefix));
	return Object.fromEntries(pairs.map(([key, text]) => [key.slice(prefix.length), text]));
}
