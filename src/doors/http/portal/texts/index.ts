// Lists the languages of the portal, and joins the texts of all pages for each of them.

import { access as deAccess } from './de/access.ts';
import { cards as deCards } from './de/cards.ts';
import { files as deFiles } from './de/files.ts';
import { frame as deFrame } from './de/frame.ts';
import { numbers as deNumbers } from './de/numbers.ts';
import { people as dePeople } from './de/people.ts';
import type { AccessTexts } from './en/access.ts';
import { access as enAccess } from './en/access.ts';
import type { CardsTexts } from './en/cards.ts';
import { cards as enCards } from './en/cards.ts';
import type { FilesTexts } from './en/files.ts';
import { files as enFiles } from './en/files.ts';
import type { FrameTexts } from './en/frame.ts';
import { frame as enFrame } from './en/frame.ts';
import type { NumbersTexts } from './en/numbers.ts';
import { numbers as enNumbers } from './en/numbers.ts';
import type { PeopleTexts } from './en/people.ts';
import { people as enPeople } from './en/people.ts';
import { access as esAccess } from './es/access.ts';
import { cards as esCards } from './es/cards.ts';
import { files as esFiles } from './es/files.ts';
import { frame as esFrame } from './es/frame.ts';
import { numbers as esNumbers } from './es/numbers.ts';
import { people as esPeople } from './es/people.ts';
import { access as frAccess } from './fr/access.ts';
import { cards as frCards } from './fr/cards.ts';
import { files as frFiles } from './fr/files.ts';
import { frame as frFrame } from './fr/frame.ts';
import { numbers as frNumbers } from './fr/numbers.ts';
import { people as frPeople } from './fr/people.ts';

export interface PortalTexts {
	readonly frame: FrameTexts;
	readonly people: PeopleTexts;
	readonly files: FilesTexts;
	readonly numbers: NumbersTexts;
	readonly cards: CardsTexts;
	readonly access: AccessTexts;
}

const LANGUAGES: Readonly<Record<string, PortalTexts>> = {
	en: { frame: enFrame, people: enPeople, files: enFiles, numbers: enNumbers, cards: enCards, access: enAccess },
	de: { frame: deFrame, people: dePeople, files: deFiles, numbers: deNumbers, cards: deCards, access: deAccess },
	fr: { frame: frFrame, people: frPeople, files: frFiles, numbers: frNumbers, cards: frCards, access: frAccess },
	es: { frame: esFrame, people: esPeople, files: esFiles, numbers: esNumbers, cards: esCards, access: esAccess },
};

/** The languages of the portal by their codes, each with its name in the language itself. */
export const PORTAL_LANGUAGES: Readonly<Record<string, string>> = {
	en: 'English',
	de: 'Deutsch',
	fr: 'Français',
	es: 'Español',
};

/** Returns the texts of a language, English ones if there are none. */
export function portalTexts(language: string): PortalTexts {
	return Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : LANGUAGES.en;
}
