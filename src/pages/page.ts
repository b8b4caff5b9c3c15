// Writes a whole page around its body.

import type { Asset } from './assets.ts';
import { type Html, html } from './html.ts';
import type { Direction } from './languages/index.ts';

export interface PageParts {
	/** The code of the language, as in `de-AT`. */
	readonly language: string;
	readonly direction: Direction;
	readonly title: string;
	/** The random text that allows the style and the scripts of this answer and no others. */
	readonly nonce: string;
	/** The style sheet, which stands in the page itself so that nothing moves while it loads. */
	readonly style: string;
	readonly scripts?: readonly Pick<Asset, 'path' | 'integrity'>[];
	readonly body: Html;
	/** What the scripts of the page need to know. They find it in the element with the id `page-data`. */
	readonly data?: unknown;
}

/** Returns the page as text. */
export function renderPage({ language, direction, title, nonce, style, scripts = [], body, data }: PageParts): string {
	const tags = scripts.map(
		({ path, integrity }) =>
			html`<script type="module" nonce="${nonce}" src="${path}" integrity="${integrity}"></script>
`,
	);
	const head = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${title}</title>
`;
	return `<!doctype html>
${html`<html lang="${language}" dir="${direction}">`}
<head>
${head}${styleElement(style, nonce)}${html`${tags}`}</head>
<body>
${body}${data === undefined ? '' : dataElement(data)}</body>
</html>
`;
}

/** A style sheet is no text of HTML: entities mean nothing in it, so its `<` is written as an escape of CSS. */
function styleElement(style: string, nonce: string): string {
	return `${html`<style nonce="${nonce}">`}${style.replaceAll('<', '\\3c ')}</style>
`;
}

/** A browser does not run such an element. An escaped `<` keeps the text from ending it. */
function dataElement(data: unknown): string {
	const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
		return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
	});
	return `<script type="application/json" id="page-data">${json}</script>
`;
}
