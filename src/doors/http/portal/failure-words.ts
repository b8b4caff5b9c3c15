// Words in the language of the reader why something failed, and what to do next.

import type { Reason, Told } from '../../../base/errors.ts';
import { type Failure, type Fault, failureOf, type NextStep, type StoredWhy } from '../../../base/failures.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { count } from './pieces.ts';
import type { OpenCall } from './portal-page.ts';
import { isTextKey } from './texts.ts';

export type Reader = Pick<OpenCall, 'say' | 'language'>;

/** These say only that something is wrong. What it is stands in the text of the error alone. */
const SAYS_NOTHING: ReadonlySet<string> = new Set<Reason>([
	...(['bad-input-data', 'bad-input-parameter', 'message-malformed', 'permission-denied'] as const),
]);

/** What a form need not say, because what is to be corrected stands in it, or nothing is to be done. */
const STANDS_THERE: ReadonlySet<NextStep | undefined> = new Set(['correct-input', 'correct-file', 'nothing']);

/** Tells whether the words for a code say more than that something is wrong. */
export function saysMore({ code }: Told): boolean {
	return !SAYS_NOTHING.has(code);
}

/** Returns the words for a failure, and for what to do next; undefined if only the exact words of its error say what it is. */
export function failureWords(
	{ say, language }: Reader,
	{ code, parameters, next }: Failure,
): { readonly says: string; readonly next: string } | undefined {
	const values = Object.fromEntries(
		Object.entries(parameters).map(([name, value]) => [
			name,
			typeof value === 'number' ? count(value, language) : value,
		]),
	);
	const key = `failure.codes.${code}`;
	return isTextKey(key) ? { says: say(key, values), next: say(`failure.next.${next}`) } : undefined;
}

/**
 * Returns why something failed and what to do next, with the exact words beside it; only those if no code was stored with
 * them. A form does not say that its input is to be corrected, because it stands there to be.
 */
export function whyPart(reader: Reader, failure: StoredWhy, place?: 'form'): Html;
export function whyPart(reader: Reader, failure: StoredWhy | null): Html | null;
export function whyPart(reader: Reader, failure: StoredWhy | null, place?: 'form'): Html | null {
	if (failure === null) return null;
	const { reason, told } = failure;
	const known = told && failureOf(told);
	const words = known && failureWords(reader, known);
	const next = place === 'form' && STANDS_THERE.has(known?.next) ? undefined : words?.next;
	return html`${[words?.says, next].map((text) => text && `${text} `)}<small lang="en">${reason}</small>`;
}

/** Returns why something is not right, for a page on which it can be put right. An English reader gets the exact words alone. */
export function wordsFor(reader: Reader, { reason, told }: StoredWhy): Html {
	// Without a code the reason may be one of the page, which is in the language of the reader already.
	const isExact = reader.language === 'en' || told === undefined || !saysMore(told);
	return isExact ? html`${reason}` : whyPart(reader, { reason, told }, 'form');
}

/** Returns what is wrong with a member of a document, without the card numbers that somebody may have written there. */
export function faultPart(reader: Reader, { path, rule, told }: Fault): Html {
	const words = wordsFor(reader, { reason: maskCardNumbers(rule), told });
	return path === '' ? words : html`${maskCardNumbers(path)}: ${words}`;
}
