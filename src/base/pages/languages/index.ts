// Lists the languages of the pages.

import { ar } from './ar.ts';
import { cs } from './cs.ts';
import { da } from './da.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { he } from './he.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { sv } from './sv.ts';
import { tr } from './tr.ts';
import { zh } from './zh.ts';

export type { Texts } from './en.ts';

const LANGUAGES: Readonly<Record<string, Texts>> = {
	en,
	de,
	fr,
	es,
	it,
	pt,
	nl,
	pl,
	cs,
	tr,
	ru,
	ar,
	he,
	ja,
	zh,
	sv,
	da,
};

export const LANGUAGE_CODES: readonly string[] = Object.keys(LANGUAGES);

export type Direction = 'ltr' | 'rtl';

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'he']);
/** Older language codes that browsers and callers still send, with their replacements. */
const RENAMED: Readonly<Record<string, string>> = { iw: 'he' };

const FALLBACK = 'en';

/** Returns the language of the pages for the requested language code: English if there is no such language. */
export function languageOf(asked: string | undefined): string {
	const [code] = (asked ?? '').trim().toLowerCase().split(/[-_]/);
	const current = RENAMED[code] ?? code;
	return Object.hasOwn(LANGUAGES, current) ? current : FALLBACK;
}

/** Returns the texts of a language. `de-AT` gets those of `de`, and a language that is unknown gets English. */
export function textsOf(asked: string | undefined): Texts {
	return LANGUAGES[languageOf(asked)];
}

/** Returns the direction in which a language is written. */
export function direction(asked: string | undefined): Direction {
	return RIGHT_TO_LEFT.has(languageOf(asked)) ? 'rtl' : 'ltr';
}

/** Fills `{name}` in a text with values. A name without a value stays as it is. */
export function fillText(text: string, values: Readonly<Record<string, string | number>>): string {
	return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}
