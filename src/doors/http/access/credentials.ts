// Finds the credential of a request (spec §5.1–5.3). Credentials are searched for in the order session token, access
// token, API key, and the first one present decides, even if it is invalid (shapes §1).

import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../../people/identity/credentials/authenticate.ts';

/** Matches `APIKEY`, one space and the key, in capitals (shapes §11). Any other `Authorization` is malformed. */
const AUTHORIZATION = /^APIKEY ([^\s]+)$/;

/** Returns the credential; undefined if there is none or it is malformed. Names in the query are in lower case. */
export function findCredential(request: Pick<FastifyRequest, 'headers' | 'query'>): Credential | undefined {
	const query = request.query as Record<string, string | undefined>;
	if (query.sessiontoken !== undefined) return { kind: 'session-token', secret: query.sessiontoken };
	if (query.accesstoken !== undefined) return { kind: 'access-token', secret: query.accesstoken };
	const { authorization } = request.headers;
	if (authorization !== undefined) {
		const secret = AUTHORIZATION.exec(authorization)?.[1];
		return secret === undefined ? undefined : { kind: 'api-key', secret };
	}
	const header = request.headers['x-service-api-key'];
	return typeof header === 'string' && header !== '' ? { kind: 'api-key', secret: header } : undefined;
}

/** The query parameters that are credentials, in lower case. Whoever passes on or compares a query omits them. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['sessiontoken', 'accesstoken']);

/** The key under which a parsed query keeps the names that occurred more than once. */
export const REPEATED = Symbol('repeated');

export interface Query extends Record<string, string> {
	[REPEATED]?: Set<string>;
}

/**
 * Parses query text into an object with names in lower case, because names match in any case. The first value of a name
 * is kept; code that knows the meaning of the name decides whether another one is an error.
 */
export function parseQuery(text: string): Query {
	const query: Query = Object.create(null);
	for (const [name, value] of new URLSearchParams(text)) {
		const key = name.toLowerCase();
		if (key in query) (query[REPEATED] ??= new Set()).add(key);
		else query[key] = value;
	}
	return query;
}
