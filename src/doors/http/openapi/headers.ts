/** The headers that every answer may have, besides those of its call, for the OpenAPI document. */
export const ALWAYS = {
	'X-Request-Id': { schema: { type: 'string' }, description: 'Names the call in the log and in `GET /api/requests`.' },
	'X-service-Warnings': {
		schema: { type: 'string' },
		description: 'Names query parameters that the call does not know.',
	},
};
