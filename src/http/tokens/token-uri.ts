// Tokens as callers write them (spec §2.3, shapes §1).

import { ServiceError } from '../../errors.ts';
import { findToken, type Token } from '../../vault/token.ts';

/** Path parameter of a token; anything that is not 32 hexadecimal characters matches no endpoint (spec §7.4). */
export const TOKEN_IN_PATH = ':cardToken(^[0-9A-Fa-f]{32}$)';

const CARD_PATH = '/api/payments/paycard';

/** The URI form of a token. */
export function tokenUri(baseUrl: string, token: Token): string {
	return `${baseUrl}${CARD_PATH}/${token}`;
}

/** The token of a URI, or a bare one; undefined when there is none to be read. */
export function findTokenOfUri(text: string): Token | undefined {
	const slash = text.lastIndexOf('/');
	if (slash !== -1 && !/^https?:\/\/[^\s]+$/i.test(text)) return undefined;
	return findToken(text.slice(slash + 1));
}

/**
 * The token in a query parameter. Absent is a bad input; anything else that is no token is answered like a token that
 * does not exist (spec §7.4). @throws ServiceError
 */
export function getQueryToken(name: string, text: string | undefined): Token {
	if (text === undefined || text === '')
		throw new ServiceError('bad-input-data', { field: name, problem: 'is required' });
	const token = findTokenOfUri(text);
	if (token === undefined) throw new ServiceError('token-not-accessible');
	return token;
}

/** The token of a path whose shape the route has checked. */
export function pathToken(params: unknown): Token {
	return (params as { cardToken: string }).cardToken.toLowerCase() as Token;
}
