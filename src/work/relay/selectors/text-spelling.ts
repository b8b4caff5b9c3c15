// Decides how values are spelled in the body of a profile with `body: text`. Only the name of a card holder can have
// characters that mean something to the reader of a body, because all other values are digits or words of ours.

import { type Charset, findCharset, UTF_8 } from './charset.ts';
import { encodeForm } from './form/form.ts';
import { escapeJson, escapeUnits } from './json/place.ts';
import { characterReference, escapeAttribute } from './xml/escape.ts';

export interface TextSpelling {
	/** True if the content type has no rule, so that a name goes out as it is. */
	readonly isRaw: boolean;
	/**
	 * Returns a value as bytes, one character for each. `isQuoted` tells whether an odd number of double quotes stands
	 * before it in the body.
	 */
	spell(value: string, isQuoted: boolean): string;
}

type Spell = (charset: Charset) => TextSpelling['spell'];

const bytesOf = (charset: Charset, text: string, instead: (character: string) => string) =>
	charset.encode(text, instead).toString('latin1');

const asMarkup: Spell = (charset) => (value) =>
	bytesOf(charset, escapeAttribute(value, '"').replaceAll("'", '&#39;'), characterReference);

/** In a quoted cell quotes are doubled (RFC 4180); another cell is put into quotes if its value needs them. */
const asCell: Spell = (charset) => (value, isQuoted) => {
	const doubled = value.replaceAll('"', '""');
	const needsQuotes = !isQuoted && /[",;|\t\r\n]/.test(value);
	return bytesOf(charset, needsQuotes ? `"${doubled}"` : doubled, () => '?');
};

/** A line break in a name would begin a line of its own, so control characters become blanks. */
const asItIs: Spell = (charset) => (value) =>
	bytesOf(charset, value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '), () => '?');

const RULES: readonly (readonly [subtype: RegExp, spell: Spell])[] = [
	[
		/(?:^|[+.-])(?:json|ndjson|jsonl|jsonlines|json-seq)$/i,
		(charset) => (value) => bytesOf(charset, escapeJson(value), escapeUnits),
	],
	[/(?:^|\+)(?:xml|html)$/i, asMarkup],
	[/^x-www-form-urlencoded$/i, (charset) => (value) => encodeForm(value, charset)],
	[/^(?:csv|tab-separated-values)$/i, asCell],
];

/** Returns the rule for bodies of a content type. */
export function textSpelling(contentType: string | undefined): TextSpelling {
	const charset = findCharset(contentType) ?? UTF_8;
	const [, subtype = ''] = /^\s*[\w.-]+\/([\w.+-]+)/.exec(contentType ?? '') ?? [];
	const spell = RULES.find(([pattern]) => pattern.test(subtype))?.[1];
	return { isRaw: spell === undefined, spell: (spell ?? asItIs)(charset) };
}
