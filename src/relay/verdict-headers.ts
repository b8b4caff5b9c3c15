import type { HeaderPair } from '../outbound/headers.ts';
import type { Token } from '../vault/token.ts';
import type { Profile } from './profile.ts';
import type { TokenizedBody } from './tokenize-body.ts';

const ERRORS_HEADER = 'X-service-Tokenization-Errors';
const WARNINGS_HEADER = 'X-service-Tokenization-Warnings';
/**
 * Clients and proxies accept this many characters in one header. Further tokens go into another header; a list of
 * errors or warnings is cut off at this length, without a mark.
 */
const MAX_HEADER_CHARACTERS = 7_000;

/**
 * Returns headers about the cards of a message (spec §4.1, shapes §4): the token URIs of the tokenized ones, separated
 * by commas, and an entry per card, separated by `;;`, if there is anything to report. If the message itself contains
 * the tokens, a list too long for one header is left out.
 */
export function listHeaders(
	{ tokenHeader, inPlace }: Pick<Profile, 'tokenHeader' | 'inPlace'>,
	{ tokens, errors, warnings }: Omit<TokenizedBody, 'body' | 'numbers'>,
	uriOf: (token: Token) => string,
): HeaderPair[] {
	const headers: HeaderPair[] = [];
	const lists = tokenHeaders(tokenHeader, tokens.map(uriOf));
	if (lists.length === 1 || inPlace !== 'token') headers.push(...lists);
	if (errors.some(Boolean)) headers.push([ERRORS_HEADER, within(errors, ';;')]);
	if (warnings.some(Boolean)) headers.push([WARNINGS_HEADER, within(warnings, ';;')]);
	return headers;
}

/**
 * Returns the headers with the list of tokens. If the tokens do not fit into one header, several headers of the same
 * name carry them, which means the same (RFC 9110 §5.3).
 */
function tokenHeaders(name: string, uris: readonly string[]): HeaderPair[] {
	const headers: HeaderPair[] = [];
	let line = '';
	for (const uri of uris) {
		if (line !== '' && line.length + 1 + uri.length > MAX_HEADER_CHARACTERS) {
			headers.push([name, line]);
			line = '';
		}
		line += line === '' ? uri : `,${uri}`;
	}
	if (line !== '') headers.push([name, line]);
	return headers;
}

/** Shortens a list to the entries that fit as a whole. They keep their positions. */
function within(texts: readonly string[], separator: string): string {
	let list = texts[0];
	for (const text of texts.slice(1)) {
		if (list.length + separator.length + text.length > MAX_HEADER_CHARACTERS) return list;
		list += separator + text;
	}
	return list;
}
