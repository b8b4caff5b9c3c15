// Reads logout tokens, with which a provider tells us that a session has ended there (section 2.6 of OpenID Connect
// Back-Channel Logout 1.0).

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { CustomFetch } from 'openid-client';
import type { EndedAtProvider } from './provider.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A token that is older is none that the provider sends now. */
const MAX_AGE_SECONDS = 300;
const DRIFT_SECONDS = 60;
/** Only algorithms with a key that the provider alone has. */
const ALGORITHMS = [
	'RS256',
	'RS384',
	'RS512',
	'PS256',
	'PS384',
	'PS512',
	'ES256',
	'ES384',
	'ES512',
	'EdDSA',
	'Ed25519',
];

/** Returns the function that reads logout tokens. It keeps the keys of the provider, and fetches them again for a new one. */
export function openLogoutTokens(fetchFrom: CustomFetch) {
	let keys: JWTVerifyGetKey | undefined;
	return async (
		token: string,
		provider: { readonly issuer: string; readonly clientId: string; readonly keysUrl: string },
	): Promise<EndedAtProvider> => {
		const { issuer, clientId, keysUrl } = provider;
		keys ??= createRemoteJWKSet(new URL(keysUrl), {
			[customFetch]: (url, { headers }) =>
				fetchFrom(url, { method: 'GET', headers: Object.fromEntries(headers), body: null, redirect: 'manual' }),
		});
		const { payload } = await jwtVerify(token, keys, {
			issuer,
			audience: clientId,
			algorithms: ALGORITHMS,
			requiredClaims: ['iat', 'jti', 'events'],
			maxTokenAge: MAX_AGE_SECONDS,
			clockTolerance: DRIFT_SECONDS,
		});
		const { sub: subject, sid, events, nonce } = payload;
		const session = typeof sid === 'string' ? sid : undefined;
		const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, EVENT);
		// An ID token has a nonce, so that none can be used as a logout token.
		if (!isLogout || nonce !== undefined || (subject === undefined && session === undefined))
			throw new Error('this is no logout token');
		return { issuer, subject, session };
	};
}
