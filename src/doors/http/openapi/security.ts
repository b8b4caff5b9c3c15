// Describes the kinds of credentials for the OpenAPI document (spec §5).

import type { Needs } from '../calls/call.ts';

export const SECURITY_SCHEMES = {
	apiKey: { type: 'apiKey', in: 'header', name: 'x-service-api-key', description: 'The API key as it is.' },
	authorization: {
		type: 'apiKey',
		in: 'header',
		name: 'Authorization',
		description: 'The word `APIKEY`, a single space, then the API key.',
	},
	sessionToken: {
		type: 'apiKey',
		in: 'query',
		name: 'sessionToken',
		description: 'From `POST /api/payments/paycard/tempsession`; five minutes, any number of calls.',
	},
	accessToken: {
		type: 'apiKey',
		in: 'query',
		name: 'accessToken',
		description: 'Made by the caller with the certificate of `GET /api`; one call, at most 60 minutes ahead.',
	},
	walletSession: {
		type: 'http',
		scheme: 'bearer',
		description: 'From `POST /api/eWalletOperation`; five minutes, for the session calls alone.',
	},
} as const;

const API_KEY = [{ apiKey: [] }, { authorization: [] }];

/** Which of them a call takes, by what it needs. */
export const SECURITY = {
	any: [...API_KEY, { sessionToken: [] }, { accessToken: [] }],
	'api-key': API_KEY,
	'wallet-session': [{ walletSession: [] }],
	none: [],
} as const satisfies Record<NonNullable<Needs['credential']>, unknown>;
