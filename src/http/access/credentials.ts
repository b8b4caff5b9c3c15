// Which credential a request carries (spec §5.1–5.3). The first present decides, even if it is bad (shapes §1).

import type { FastifyRequest } from 'fastify';
import type { Credential } from '../../identity/authenticate.ts';

/** Anything but `APIKEY`, one space and the key is malformed; the word is matched exactly (shapes §11). */
const AUTHORIZATION = /^APIKEY ([^\s]+)$/;

/** The credential, or undefined when none is there or its header is malformed. Query names come in lower case. */
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

/** Query parameters that are credentials, in lower case: whoever passes a query on or compares it leaves them out. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set(['sessiontoken', 'accesstoken']);

/** Where a query keeps the names that stood in it more than once. */
export const REPEATED = Symbol('repeated');

export interface Query extends Record<string, string> {
	[REPEATED]?: Set<string>;
}

/**
 * Query text as an object with names in lower case: names are matched without regard to case. The first value of a name
 * stands; whether a further one is an error is for those to say who know what the name means.
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
