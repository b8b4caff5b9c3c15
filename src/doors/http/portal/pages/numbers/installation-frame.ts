// The frame that the pages about the installation share: links from each page to the others.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import { numbersStyle } from './plot-part.ts';

export const INSTALLATION = '/portal/installation';
const PAGES = ['accounts', 'daemons', 'keys', 'audit', 'bans'] as const;

/** Returns a page about the installation: links to all such pages, and its own body. */
export function installationPage(call: PortalCall, title: string, body: Html): PortalAnswer {
	const words = call.texts.numbers.installation;
	const here = call.request.url.split('?', 1)[0];
	const link = (path: string, label: string) =>
		html`<a href="${path}"${here.endsWith(path) && html` aria-current="page"`}>${label}</a> `;
	const links = html`<nav class="views" aria-label="${words.title}">${link(INSTALLATION, words.title)}${PAGES.map((name) => link(`${INSTALLATION}/${name}`, words.pages[name]))}</nav>
`;
	const facts = { section: 'installation', style: numbersStyle(), help: '/docs/portal#operators' } as const;
	return { page: { title, body: html`${links}${body}`, ...facts } };
}
