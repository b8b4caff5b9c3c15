// Words in the language of the reader for what a report says of a card or of the file. Reports have English texts alone.

import { findVerdict } from '../../../../../base/card/verdict.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { UNRESOLVED } from '../../../../../engine/detokenize.ts';
import type { Reader } from '../../failure-words.ts';
import { isTextKey } from '../../texts.ts';

/**
 * What tells notices apart, of which many have names and numbers of the file in them: the first of these phrases that stands in
 * one. A phrase that holds for more than another stands behind it.
 */
export const NOTICE_PHRASES = {
	empty: 'The file is empty',
	'type-column': 'no column for the card type',
	'expiry-column': 'no column for the expiration date',
	rounded: 'as if a spreadsheet had rounded them',
	'not-looked-up': 'without a look for earlier ones',
	'other-masked': 'fields of this format and was masked',
	'other-replaced': 'fields of this format and was replaced',
	'other-stays': 'A card number stands outside the card fields',
	'other-code': 'security code seems to stand',
	'other-codes': 'security codes seem to stand',
	'other-numbers': 'outside the card fields of this format',
	'doubtful-code': 'may be a security code; they stay',
	'short-codes': 'Security codes of one or two digits',
	'left-columns': 'A card in fixed columns was left in clear',
	'unused-column': 'not used: what stands there passes as it is',
	'words-in-column': 'no card was looked for there',
	'stray-codes': 'Security codes left in clear, with no number beside them',
	'stray-code': 'and no card number that can be tokenized stands beside it',
	'like-code': 'as many digits as a security code and was not read',
	'listed-code': 'names a security code in a list of columns',
	'unread-code': 'like the security code of a card and holds values',
	'split-number': 'its digits are split over several values',
	'unread-dates': 'it is not known which card each belongs to',
	unread: 'the options of this folder do not name it',
	'stray-date': 'like the expiry of a card, and no card number',
	'code-alone': 'A line holds a CVV and no card',
	'more-codes': 'A line holds more CVVs than cards',
	'code-below': 'may be the security code of the card number above',
	signed: 'The file holds an XML signature',
	'plugin-wrote': 'wrote messages, which nobody has read',
	allowance: 'is nearly used up',
	more: 'more notices like these',
} as const;

/**
 * Returns words for a reason, warning or notice, with the exact ones beside them, because somebody may have to tell them. What
 * is no verdict on a card is exact enough for an English reader.
 */
export function reportWords({ say, language }: Reader, text: string): Html {
	const exact = html`<small lang="en">${text}</small>`;
	const [unresolved] = Object.entries(UNRESOLVED).find(([, each]) => each === text) ?? [];
	const verdict = findVerdict(text) ?? unresolved;
	if (verdict === undefined && language === 'en') return html`${text}`;
	const [notice] = Object.entries(NOTICE_PHRASES).find(([, phrase]) => text.includes(phrase)) ?? [];
	const key = verdict === undefined ? `files.notices.${notice}` : `files.reasons.${verdict}`;
	return isTextKey(key) ? html`${say(key)} ${exact}` : exact;
}
