// Tells forms that our pages sent from forms that others sent.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Html, html } from '../../pages/html.ts';
import type { Viewer } from '../../portal/viewer.ts';
import type { OpenCall } from './portal-page.ts';
import { ForgedError } from './refusals.ts';

export const CSRF_FIELD = '_csrf';
export const CSRF_HEADER = 'x-csrf-token';

/** Returns the hidden field that every form with the method POST needs. A page without a viewer needs none. */
export function csrfField({ viewer }: Pick<OpenCall, 'viewer'>): Html {
	if (!viewer) return html``;
	return html`<input type="hidden" name="${CSRF_FIELD}" value="${maskedToken(viewer.session.csrf)}">`;
}

/** Returns the token in a spelling that differs each time, so that its length when compressed tells nothing about it. */
export function maskedToken(token: string): string {
	const bytes = Buffer.from(token);
	const mask = randomBytes(bytes.length);
	return `${mask.toString('base64url')}.${xor(bytes, mask).toString('base64url')}`;
}

/** Tells whether a text is a spelling of a token. */
export function isToken(given: string | undefined, token: string): boolean {
	const [mask = '', hidden = '', more] = (given ?? '').split('.');
	const [left, right] = [Buffer.from(mask, 'base64url'), Buffer.from(hidden, 'base64url')];
	const expected = Buffer.from(token);
	if (more !== undefined || left.length !== expected.length || right.length !== expected.length) return false;
	return timingSafeEqual(xor(left, right), expected);
}

/** @throws ForgedError if a text is not the token of the viewer's session */
export function requireToken({ session }: Viewer, given: string | undefined): void {
	if (!isToken(given, session.csrf)) throw new ForgedError();
}

/**
 * Tells whether a page of another origin may have sent a request. Browsers say it in either of two headers; a client
 * that sends neither is no browser, and has only cookies that somebody gave to it.
 */
export function isFromElsewhere(headers: IncomingHttpHeaders, baseUrl: string): boolean {
	const site = headers['sec-fetch-site'];
	if (site !== undefined) return site !== 'same-origin';
	const { origin, host } = headers;
	if (origin === undefined) return false;
	if (URL.canParse(baseUrl) && origin === new URL(baseUrl).origin) return false;
	return !URL.canParse(origin) || new URL(origin).host !== host;
}

function xor(left: Buffer, right: Buffer): Buffer {
	return Buffer.from(left.map((byte, index) => byte ^ right[index]));
}
