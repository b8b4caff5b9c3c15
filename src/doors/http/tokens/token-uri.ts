// Reads and writes tokens in the forms that callers use (spec §2.3, shapes §1).

import { badInput, ServiceError } from '../../../base/errors.ts';
import { findToken, type Token } from '../../../vault/tokens/token.ts';

/** The path parameter of a token. A text that is not 32 hexadecimal characters matches no endpoint (spec §7.4). */
export const TOKEN_IN_PATH = ':cardToken(^[0-9A-Fa-f]{32}$)';

const CARD_PATH = '/api/payments/paycard';

export function tokenUri(baseUrl: string, token: Token): string {
	return `${baseUrl}${CARD_PATH}/${token}`;
}

/** Returns the token in a URI or in a text that is only the token. Returns undefined if there is no token in it. */
export function findTokenOfUri(text: string): Token | undefined {
	const slash = text.lastIndexOf('/');
	if (slash !== -1 && !/^https?:\/\/[^\s]+$/i.test(text)) return undefined;
	return findToken(text.slice(slash + 1));
}

/**
 * Returns the token in the query parameter `cardUri`. An absent parameter is a bad input; a text that is no token is answered like
 * a token that does not exist (spec §7.4).
 * @throws ServiceError
 */
export function getQueryToken(text: string | undefined): Token {
	if (text === undefined || text === '') throw badInput('cardUri', 'is required');
	const token = findTokenOfUri(text);
	if (token === undefined) throw new ServiceError('token-not-accessible');
	return token;
}

/** Returns the token of a path. The router has already checked its form. */
export function pathToken(params: unknown): Token {
	return (params as { cardToken: string }).cardToken.toLowerCase() as Token;
}
