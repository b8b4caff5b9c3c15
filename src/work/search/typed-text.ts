// Reads a typed text: what it can be, by its form alone.

import { CARD_TYPES, type CardTypeIndex } from '../../base/card/brand.ts';
import { MAX_TEXT_CHARACTERS } from '../../base/card/verdict.ts';
import { findToken, type Token } from '../../vault/tokens/token.ts';

/** The kinds of what an account has and can be searched for. */
export const SEARCH_KINDS = ['token', 'reference', 'lastFour', 'file', 'job', 'route', 'person', 'call'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** What a text can be. References and names of files, routes and people may begin with any text. */
export interface Typed {
	readonly text: string;
	readonly token?: Token;
	readonly lastFour?: { readonly lastDigits: string; readonly type?: CardTypeIndex };
	/** The beginning of a job's id. */
	readonly jobId?: string;
	readonly callId?: string;
}

const CALL = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** The first ten characters of an id are its time, so that fewer of them say too little. */
const JOB = /^[0-9a-hjkmnp-tv-z]{10,26}$/i;
/**
 * Four digits with or without a brand before or behind them, and with or without dots or stars in place of the others. Blanks
 * divide the groups of dots or stars: if each sign could be a group of its own, a long row of them would be divided in every
 * possible way.
 */
const LAST_FOUR =
	/^(?:(?<before>[a-z ]{2,}?) *)??(?:[•*xX.·-]+(?: +[•*xX.·-]+){0,3} *)?(?<digits>\d{4})(?: *(?<behind>[a-z ]{2,}))?$/i;

/** Returns what a typed text can be, or undefined if it is empty, too long, or nothing that the database can hold. */
export function readTyped(given: string): Typed | undefined {
	const text = given.trim();
	if (text === '' || text.length > MAX_TEXT_CHARACTERS || text.includes('\0') || !text.isWellFormed()) return undefined;
	return {
		text,
		token: findToken(text),
		lastFour: lastFourOf(text),
		...(JOB.test(text) && { jobId: text.toLowerCase() }),
		...(CALL.test(text) && { callId: text.toLowerCase() }),
	};
}

function lastFourOf(text: string): Typed['lastFour'] {
	const { before, behind, digits } = LAST_FOUR.exec(text)?.groups ?? {};
	if (digits === undefined || (before !== undefined && behind !== undefined)) return undefined;
	const word = (before ?? behind)?.replaceAll(' ', '').toLowerCase();
	if (word === undefined) return { lastDigits: digits };
	// `Unspecified` is no brand that anybody types.
	const type = CARD_TYPES.findIndex((name, index) => index > 0 && name.toLowerCase().startsWith(word));
	return type === -1 ? undefined : { lastDigits: digits, type };
}
