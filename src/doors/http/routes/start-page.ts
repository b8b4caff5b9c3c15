// The page that a browser shows at the root: what this is, and the ways in for people.

import { html } from '../../../base/pages/html.ts';
import type { AnsweredPage } from '../pages/answer-page.ts';

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
export function isFromBrowser(accept: string | undefined): boolean {
	return accept?.split(/[,;]/, 1)[0].trim() === 'text/html';
}

/** Returns the page. Its links lead to the public address of the installation. */
export function startPage(baseUrl: string, environment: string): AnsweredPage {
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
