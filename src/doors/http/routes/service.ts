import { Type } from '@sinclair/typebox';
import { html } from '../../../base/pages/html.ts';
import { type Call, defineCall } from '../calls/call.ts';
import { jsonOrXml } from '../calls/content.ts';
import { named } from '../input/schema-notes.ts';
import { answer } from '../negotiation/answer.ts';
import { type AnsweredPage, answerPage } from '../pages/answer-page.ts';
import type { HttpSettings } from '../settings.ts';

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
export function serviceCalls({ settings }: { settings: Pick<HttpSettings, 'environment' | 'baseUrl'> }): Call {
	return defineCall('GET', '/', {
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
	});
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 36rem; margin: 4rem auto; padding: 0 1rem }
dt { margin-top: 1rem; font-weight: 600 }
dd { margin: 0 }
`;

/**
 * Tells whether a person looks with a browser: browsers ask for HTML before anything else. A program that asks for
 * nothing, for JSON or for XML gets the same as ever.
 */
function isFromBrowser(accept: string | undefined): boolean {
	return accept?.split(/[,;]/, 1)[0].trim() === 'text/html';
}

/** Returns the page that a browser shows: what this is, and the ways in for people. Its links lead to the public address of the installation. */
function startPage(baseUrl: string, environment: string): AnsweredPage {
	const link = (path: string, text: string, says: string) =>
		html`<dt><a href="${baseUrl}${path}">${text}</a></dt>
<dd>${says}</dd>
`;
	const body = html`<main>
<h1>Tokendrop</h1>
<p>A card-data vault: files and calls go in with card numbers, and come back with tokens. This is its ${environment}.</p>
<dl>
${link('/portal', 'Portal', 'Send files and see what became of them; look after cards, keys and people.')}${link('/docs', 'Documentation', 'Every call, and the guide for first steps.')}${link('/openapi.json', 'OpenAPI', 'The same calls, for generators of clients.')}${link('/api', 'Certificate', 'With its public key programs make access tokens.')}</dl>
</main>
`;
	return { page: { language: 'en', direction: 'ltr', title: 'Tokendrop', style: STYLE, body } };
}
