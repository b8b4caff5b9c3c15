import { Type } from '@sinclair/typebox';
import { type Call, defineCall } from '../calls/call.ts';
import { jsonOrXml } from '../calls/content.ts';
import { named } from '../input/schema-notes.ts';
import { answer } from '../negotiation/answer.ts';
import { answerPage } from '../pages/answer-page.ts';
import type { HttpSettings } from '../settings.ts';
import { isFromBrowser, startPage } from './start-page.ts';

const SERVICE = named(
	'Service',
	Type.Object({
		name: Type.String(),
		environment: Type.String({ enum: ['sandbox', 'production'] }),
		links: Type.Object({
			documentation: Type.String({ description: 'For people.' }),
			openapi: Type.String({ description: 'For generators.' }),
			certificate: Type.String({ description: 'That access tokens are made with.' }),
		}),
	}),
);
const SHAPE = { root: 'Service' } as const;

const serviceAt = (baseUrl: string, environment: string) => ({
	name: 'Tokendrop',
	environment,
	links: { documentation: `${baseUrl}/docs`, openapi: `${baseUrl}/openapi.json`, certificate: `${baseUrl}/api` },
});

/** Defines the call for the start page, on which a caller without credentials finds only links to the documentation. */
export function serviceCalls({ settings }: { settings: Pick<HttpSettings, 'environment' | 'baseUrl'> }): Call[] {
	return [
		defineCall({
			method: 'GET',
			path: '/',
			name: 'whatThisIs',
			summary: 'What this is',
			description: 'Name, environment, and where to read on. A browser, which asks for `text/html` first, gets a page.',
			tag: 'service',
			needs: { credential: 'none' },
			answers: {
				200: {
					content: jsonOrXml({ schema: SERVICE, example: serviceAt('https://vault.example', 'sandbox'), ...SHAPE }),
				},
			},
			handler: async (request, reply) => {
				const { baseUrl, environment } = settings;
				reply.header('vary', 'Accept');
				if (isFromBrowser(request.headers.accept)) return answerPage(reply, startPage(baseUrl, environment));
				return answer(request, reply, serviceAt(baseUrl, environment), SHAPE);
			},
		}),
	];
}
