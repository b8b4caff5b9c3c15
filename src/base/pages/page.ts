// Writes the HTML of a whole page.

import type { Asset } from './assets.ts';
import { type Html, html } from './html.ts';
import type { Direction } from './languages/index.ts';

export interface PageParts {
	/** The code of the language, as in `de-AT`. */
	readonly language: string;
	readonly direction: Direction;
	readonly title: string;
	/** The colours of the page, if they are not those of the reader's system. */
	readonly scheme?: 'light' | 'dark';
	/** The random text that allows the style and the scripts of this answer and no others. */
	readonly nonce: string;
	/** The style sheet, which is part of the page itself, so that nothing moves while it loads. */
	readonly style: string;
	/**
	 * True if a script asks for the page, to show it in the document of another one. A browser would apply a style sheet to
	 * what the script gets, and refuse it for its nonce, so the script is given the text of it instead.
	 */
	readonly isStyleText?: boolean;
	readonly scripts?: readonly Pick<Asset, 'path' | 'integrity'>[];
	readonly body: Html;
	/** The data for the scripts of the page, which find it in the element with the id `page-data`. */
	readonly data?: unknown;
}

export function renderPage(parts: PageParts): string {
	const { language, direction, title, scheme, nonce, style, isStyleText = false, scripts = [], body, data } = parts;
	const tags = scripts.map(
		({ path, integrity }) =>
			html`<script type="module" nonce="${nonce}" src="${path}" integrity="${integrity}"></script>
`,
	);
	const head = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme ?? 'light dark'}">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
`;
	return `<!doctype html>
${html`<html lang="${language}" dir="${direction}"${scheme !== undefined && html` data-scheme="${scheme}"`}>`}
<head>
${head}${isStyleText ? html`<template id="page-style">${style}</template>` : styleElement(style, nonce)}${html`${tags}`}</head>
<body>
${body}${data === undefined ? '' : dataElement(data)}</body>
</html>
`;
}

/** Returns the element with the style sheet. HTML entities have no meaning in it, so `<` is written as a CSS escape. */
function styleElement(style: string, nonce: string): string {
	return `${html`<style nonce="${nonce}">`}${style.replaceAll('<', '\\3c ')}</style>
`;
}

/**
 * Returns the element with the data, which browsers do not run as a script. `<` is escaped, so that no text can end the
 * element.
 */
function dataElement(data: unknown): string {
	const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
	return `<script type="application/json" id="page-data">${json}</script>
`;
}
