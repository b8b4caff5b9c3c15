import type { HeaderPair } from '../../base/outbound/headers.ts';
import type { Token } from '../../vault/tokens/token.ts';
import type { Profile } from './profiles/profile.ts';
import type { TokenizedBody } from './tokenize-body.ts';

const ERRORS_HEADER = 'X-service-Tokenization-Errors';
const WARNINGS_HEADER = 'X-service-Tokenization-Warnings';
/**
 * One header gets at most this many characters, because clients and proxies do not accept more. Tokens that do not fit
 * go into a further header. A list of errors or warnings ends with the last entry that fits, without a sign that others
 * are missing.
 */
const MAX_HEADER_CHARACTERS = 7_000;

/**
 * Returns headers about the cards of a message (spec §4.1, shapes §4): the token URIs of the tokenized cards, separated
 * by commas, and lists of errors and warnings with an entry per card, separated by `;;`, if there are any. If the
 * tokens are in the body of the message too, and the list of them does not fit into one header, the list is left out.
 */
export function listHeaders(
	{ tokenHeader, inPlace }: Pick<Profile, 'tokenHeader' | 'inPlace'>,
	{ tokens, errors, warnings }: Omit<TokenizedBody, 'body' | 'numbers'>,
	uriOf: (token: Token) => string,
): HeaderPair[] {
	const headers: HeaderPair[] = [];
	const lists = tokenHeaders(tokenHeader, tokens.map(uriOf));
	if (lists.length === 1 || inPlace !== 'token') headers.push(...lists);
	if (errors.some(Boolean)) headers.push([ERRORS_HEADER, within(errors)]);
	if (warnings.some(Boolean)) headers.push([WARNINGS_HEADER, within(warnings)]);
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

/**
 * Joins the entries of a list, from the first on, as long as they fit into one header as a whole. No entry in between
 * is left out, so every entry keeps its position.
 */
function within(texts: readonly string[]): string {
	let list = texts[0];
	for (const text of texts.slice(1)) {
		if (list.length + 2 + text.length > MAX_HEADER_CHARACTERS) return list;
		list += `;;${text}`;
	}
	return list;
}
