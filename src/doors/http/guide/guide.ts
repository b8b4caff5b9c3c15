// Serves the guide for developers who make calls, next to the page that lists all calls. The pages of the guide are
// generated from Markdown at their first request. They have their own style sheet, no script, and nothing from other
// hosts.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { escapeHtml, renderMarkdown } from './markdown.ts';

const DOCS = new URL('../../../../docs/', import.meta.url);
/** While the links between the Markdown files are resolved, the folder of these files is taken to be at this URL. */
const ROOT = 'file:///docs/';

/** Lists the pages by the last part of their URL, in reading order. */
const PAGES: Readonly<Record<string, { readonly title: string; readonly file: string }>> = {
	'first-steps': { title: 'First steps', file: 'guide/first-steps.md' },
	permissions: { title: 'Permissions', file: 'guide/permissions.md' },
	errors: { title: 'Errors', file: 'errors.md' },
	'test-cards': { title: 'Test cards', file: 'guide/test-cards.md' },
	portal: { title: 'The portal', file: 'portal.md' },
	sftp: { title: 'sFTP', file: 'sftp.md' },
	reports: { title: 'Reports', file: 'reports.md' },
	formats: { title: 'Formats', file: 'formats/README.md' },
	snippets: { title: 'Snippets', file: 'guide/snippets.md' },
};

const STYLE = `body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 16px/1.5 sans-serif; color: #3b4151; background: #fff }
nav a { margin-right: 1rem } a { color: #4990e2 } h1, h2 { line-height: 1.2 }
code { font-family: monospace; background: #f0f0f0; padding: 0 .2em } pre { background: #333; color: #fff; padding: 1rem; overflow-x: auto }
pre code { background: none; padding: 0 } table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #d8dde7; padding: .3rem .6rem; text-align: left; vertical-align: top }
`;

/**
 * Returns links to the pages of the guide, in Markdown. They are relative, so that they work on the page that lists all
 * calls and in the OpenAPI document.
 */
export function guideLinks(): string {
	return Object.entries(PAGES)
		.map(([name, { title }]) => `[${title}](docs/${name})`)
		.join(' · ');
}

/** Adds the routes of the guide; `policy` is the content security policy of its pages and of the page of all calls. */
export function addGuide(app: FastifyInstance, policy: string): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	for (const name of Object.keys(PAGES)) {
		let page: string | undefined;
		app.get(`/docs/${name}`, options, (_, reply) =>
			reply
				.header('content-security-policy', policy)
				.type('text/html; charset=utf-8')
				.send((page ??= pageOf(name))),
		);
	}
	app.get('/docs/guide.css', options, (_, reply) => reply.type('text/css; charset=utf-8').send(STYLE));
}

function pageOf(name: string): string {
	const { title, file } = PAGES[name];
	// Pictures are removed, because the content security policy of these pages forbids them. They are only for people
	// who read the Markdown files themselves.
	const markdown = readFileSync(new URL(file, DOCS), 'utf8').replace(/^!\[.*\n/gm, '');
	const text = renderMarkdown(markdown, linkTargets(name));
	const links = Object.entries(PAGES).map(([each, { title }]) => `<a href="${each}">${escapeHtml(title)}</a>`);
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Tokendrop</title><link rel="stylesheet" href="guide.css"></head>
<body><nav>${links.join('')}<a href="../docs">All calls</a></nav>
<main>${text}</main></body></html>
`;
}

/**
 * Returns a function that gives the target of a link in a page of the guide. Links to pages that this service serves
 * and to headings of the same page have a target. For any other link the function returns undefined, so that only its
 * text is shown.
 */
function linkTargets(page: string): (href: string) => string | undefined {
	return (href) => {
		if (href in PAGES || href === '../docs' || /^#[a-z0-9-]+$/.test(href)) return href;
		// The Markdown files are in several folders, but their pages are served from one. So the function finds out to
		// which file the link leads, and returns the name of the page of that file.
		const { pathname, hash } = new URL(href, new URL(PAGES[page].file, ROOT));
		const name = Object.keys(PAGES).find((each) => new URL(PAGES[each].file, ROOT).pathname === pathname);
		return name === undefined ? undefined : name + hash;
	};
}
