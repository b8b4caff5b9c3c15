// Signs people in at an OpenID provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1).
// The library checks issuer, audience, times and nonce of an ID token, and on our demand its signature as well.

import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { ServiceError } from '../../../base/errors.ts';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';

export interface ProviderSettings {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** The scopes that are asked for besides `openid`. */
	readonly scopes: readonly string[];
	readonly groupsClaim: string;
	/** The claim with the name that a person gets whom a rule creates. */
	readonly nameClaim: string;
	/** The claim with the name by which the directory of an account knows a person; undefined if none is asked. */
	readonly directoryClaim: string | undefined;
	/**
	 * The values with which this provider says that it took a second factor, of which the first is asked for; and the claim in
	 * which it says so: `acr`, or `acrs` for the authentication contexts of Entra ID.
	 */
	readonly secondFactorAcrs: readonly string[];
	readonly secondFactorClaim: 'acr' | 'acrs';
	/** The address to which this provider alone sends people back; a shared one would allow a mix-up of providers. */
	readonly redirectUri: string;
	/** True if the provider may be called without TLS, which only a trial needs. */
	readonly allowHttp?: boolean;
}

/** What has to be kept, for one use and for one browser, until the provider sends the person back. */
export interface PendingSignIn {
	readonly state: string;
	readonly nonce: string;
	readonly verifier: string;
}

/** A person as the provider knows them. Only issuer and subject together identify somebody; a mail address does not. */
export interface ProvenPerson {
	readonly issuer: string;
	readonly subject: string;
	readonly groups: readonly string[];
	/** True if the provider says that it took a second factor. */
	readonly hasSecondFactor: boolean;
	readonly name: string | undefined;
	/** How the directory of an account calls the person. */
	readonly directoryId: string | undefined;
	/** The name of the session at the provider, by which the provider tells us that it has ended. */
	readonly session: string | undefined;
	/** The time when the person last proved to the provider who they are; undefined if it does not say. */
	readonly provenAtMs: number | undefined;
}

export type SignInProblem = 'refused-by-provider' | 'answer-not-valid' | 'provider-unreachable';

/**
 * Says why nobody was signed in. The error of the library is not kept as a cause, because it can hold the code, tokens
 * or the answer of the provider, and errors are logged.
 */
export class SignInError extends Error {
	readonly problem: SignInProblem;

	constructor(problem: SignInProblem) {
		super(`sign-in at the provider failed: ${problem}`);
		this.problem = problem;
	}
}

export type Provider = ReturnType<typeof openProvider>;

/** Opens a provider. Its metadata are fetched at the first use, and again after a failure. */
export function openProvider(options: { outbound: Pick<OutboundClient, 'call'>; settings: ProviderSettings }) {
	const { outbound, settings } = options;
	let known: Promise<openid.Configuration> | undefined;
	const fetchFrom = providerFetch(outbound);
	const readToken = openLogoutTokens(fetchFrom);

	const discover = () =>
		openid.discovery(new URL(settings.issuer), settings.clientId, settings.clientSecret, undefined, {
			[openid.customFetch]: fetchFrom,
			// Without this demand the library trusts an ID token because it came over TLS.
			execute: [openid.enableNonRepudiationChecks, ...(settings.allowHttp ? [openid.allowInsecureRequests] : [])],
		});
	const configuration = async () => {
		known ??= discover();
		try {
			return await known;
		} catch (error) {
			known = undefined;
			throw error;
		}
	};

	return {
		/**
		 * Returns the address to which the browser is sent, and what has to be kept until it comes back. `isFresh` asks the
		 * provider to have the person prove who they are, even if they are signed in there.
		 */
		begin: ({ isFresh = false }: { readonly isFresh?: boolean } = {}) =>
			withoutSecrets(async () => {
				const pending = {
					state: openid.randomState(),
					nonce: openid.randomNonce(),
					verifier: openid.randomPKCECodeVerifier(),
				};
				const url = openid.buildAuthorizationUrl(await configuration(), {
					redirect_uri: settings.redirectUri,
					scope: ['openid', ...settings.scopes].join(' '),
					state: pending.state,
					nonce: pending.nonce,
					code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
					code_challenge_method: 'S256',
					...secondFactorRequest(settings),
					...(isFresh && { prompt: 'login', max_age: '0' }),
				});
				return { url, pending };
			}),
		/**
		 * Exchanges the code with which a browser came back.
		 * @param query the query of the request; the rest of its URL is not used, because a caller can choose its host
		 * @throws SignInError if the answer is not the one to this sign-in, or the provider refuses
		 */
		finish: (query: URLSearchParams, { state, nonce, verifier }: PendingSignIn) =>
			withoutSecrets(async () => {
				const config = await configuration();
				const returned = new URL(settings.redirectUri);
				returned.search = query.toString();
				const tokens = await openid.authorizationCodeGrant(config, returned, {
					expectedState: state,
					expectedNonce: nonce,
					pkceCodeVerifier: verifier,
					idTokenExpected: true,
				});
				const told = tokens.claims()!;
				const { groupsClaim, nameClaim, directoryClaim, secondFactorAcrs, secondFactorClaim } = settings;
				const isWhole = told[groupsClaim] !== undefined && told[nameClaim] !== undefined;
				const claims = isWhole ? told : { ...(await userInfo(config, tokens.access_token, told.sub)), ...told };
				return {
					issuer: told.iss,
					subject: told.sub,
					groups: listOf(claims[groupsClaim]),
					hasSecondFactor:
						listOf(told.amr).includes('mfa') ||
						listOf(told[secondFactorClaim]).some((level) => secondFactorAcrs.includes(level)),
					name: listOf(claims[nameClaim])[0],
					// Only what the provider has signed says who somebody is.
					directoryId: directoryClaim === undefined ? undefined : listOf(told[directoryClaim])[0],
					session: listOf(told.sid)[0],
					provenAtMs: told.auth_time === undefined ? undefined : told.auth_time * 1000,
				};
			}),
		/**
		 * Returns the address at which the person also leaves the provider; undefined if the provider has none. It names our
		 * client and holds no token, because addresses are kept in histories and logs.
		 */
		logoutUrl: (returnTo: string) =>
			withoutSecrets(async () => {
				const config = await configuration();
				if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
				return openid.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo });
			}),
		/**
		 * Reads a logout token (section 2.4 of OpenID Connect Back-Channel Logout 1.0).
		 * @throws SignInError if it is none of this provider for us
		 */
		readLogoutToken: (token: string) =>
			withoutSecrets(async () => {
				const { issuer, jwks_uri } = (await configuration()).serverMetadata();
				return readToken(token, { issuer, clientId: settings.clientId, keysUrl: jwks_uri! });
			}),
	};
}

function secondFactorRequest(parts: ProviderSettings): Record<string, string> {
	const {
		secondFactorAcrs: [value],
		secondFactorClaim: claim,
	} = parts;
	if (value === undefined) return {};
	if (claim === 'acr') return { acr_values: value };
	return { claims: JSON.stringify({ id_token: { [claim]: { essential: true, value } } }) };
}

/** Asks for the claims that a provider leaves out of its ID tokens; the library checks that they are of this subject. */
async function userInfo(config: openid.Configuration, token: string, subject: string) {
	if (config.serverMetadata().userinfo_endpoint === undefined) return { sub: subject };
	return openid.fetchUserInfo(config, token, subject);
}

/** Returns the texts of a claim that is one text or a list of texts. */
function listOf(claim: unknown): string[] {
	return [claim].flat().filter((each): each is string => typeof each === 'string');
}

async function withoutSecrets<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		throw new SignInError(problemOf(error));
	}
}

function problemOf(error: unknown): SignInProblem {
	if (error instanceof openid.AuthorizationResponseError) return 'refused-by-provider';
	// The library wraps what our own client threw.
	const isOurs = error instanceof ServiceError || (error instanceof Error && error.cause instanceof ServiceError);
	return isOurs ? 'provider-unreachable' : 'answer-not-valid';
}

/** A provider that takes longer than this is treated as unreachable. */
const DEADLINE_MS = 10_000;
/** Metadata and key sets of large providers are some ten kilobytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/** A `Response` with one of these statuses may not have a body. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Returns the function that `openid-client` uses in place of `fetch`. It calls over the checked outbound client, so that the
 * calls obey the same rules as every other call to a third party: no redirect, no proxy, and no address that was not checked.
 */
function providerFetch(outbound: Pick<OutboundClient, 'call'>): openid.CustomFetch {
	return async (url, { method, headers, body }) => {
		const answer = await outbound.call({
			url: new URL(url),
			method,
			headers: Object.entries(headers).flat(),
			body: body ? Buffer.from(body.toString()) : null,
			deadlineAt: performance.now() + DEADLINE_MS,
			maxAnswerBytes: MAX_ANSWER_BYTES,
		});
		const pairs = answer.headers.map(([name, value]): [string, string] => [name, value]);
		const { status } = answer;
		return new Response(WITHOUT_BODY.includes(status) ? null : new Uint8Array(answer.body), { status, headers: pairs });
	};
}

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

/**
 * Returns the function that reads logout tokens, with which a provider tells us that a session has ended there (section 2.6
 * of OpenID Connect Back-Channel Logout 1.0). It keeps the keys of the provider, and fetches them again for a new one.
 */
function openLogoutTokens(fetchFrom: openid.CustomFetch) {
	let keys: JWTVerifyGetKey | undefined;
	return async (
		token: string,
		provider: { readonly issuer: string; readonly clientId: string; readonly keysUrl: string },
	) => {
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
		// It names the session that has ended, or the person all of whose sessions have.
		return { issuer, subject, session };
	};
}
