// Sends a page, with the headers that belong to it.

import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { readStyles } from '../../../base/pages/assets.ts';
import { type PageHeaderOptions, pageHeaders } from '../../../base/pages/headers.ts';
import { html } from '../../../base/pages/html.ts';
import { direction } from '../../../base/pages/languages/index.ts';
import { type PageParts, renderPage } from '../../../base/pages/page.ts';

const NONCE_BYTES = 16;

export interface AnsweredPage {
	readonly page: Omit<PageParts, 'nonce'>;
	readonly headers?: Omit<PageHeaderOptions, 'nonce'>;
	/** The path of the public URL if a proxy serves this installation in a folder. The paths of scripts follow it. */
	readonly basePath?: string;
	readonly status?: number;
}

/** Sends a page. Each page gets a nonce of its own, so that only our own scripts run in it. */
export function answerPage(reply: FastifyReply, answered: AnsweredPage) {
	const { headers, text } = writePage(answered, randomBytes(NONCE_BYTES).toString('base64url'));
	// `X-Frame-Options` is removed from a page that may be shown in frames. It cannot name origins, so browsers would
	// refuse even the frames that the content security policy allows.
	if (mayBeFramed(answered)) reply.removeHeader('x-frame-options');
	return reply
		.code(answered.status ?? 200)
		.headers(headers)
		.send(text);
}

interface Notice {
	readonly language: string;
	readonly title: string;
	readonly text: string;
	readonly status: number;
	/** True if the page may be in a frame, whose background it then keeps. Otherwise it fills the window. */
	readonly isFramed?: boolean;
}

/** Sends a page with nothing but a message, such as that a link does not work. */
export function answerNotice(reply: FastifyReply, { language, title, text, status, isFramed = false }: Notice) {
	const style = isFramed ? readStyles('base.css') : readStyles('base.css', 'full-page.css');
	const body = html`<main class="tokendrop"><h1>${title}</h1><p role="alert">${text}</p></main>
`;
	return answerPage(reply, { status, page: { language, direction: direction(language), title, style, body } });
}

export function mayBeFramed({ headers }: AnsweredPage): boolean {
	return (headers?.frameAncestors ?? []).length > 0;
}

/** Returns the text of a page, and the headers that it has besides those of every answer. */
export function writePage({ page, headers, basePath = '' }: AnsweredPage, nonce: string) {
	const scripts = page.scripts?.map(({ path, integrity }) => ({ path: basePath + path, integrity }));
	return {
		headers: { ...pageHeaders({ ...headers, nonce }), 'content-type': 'text/html; charset=utf-8' },
		text: renderPage({ ...page, scripts, nonce }),
	};
}

/** Returns the path of a public URL, without a slash at its end. */
export function basePathOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : '';
}
