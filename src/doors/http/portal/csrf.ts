// Distinguishes forms that our pages sent from forms that other sites sent, by CSRF tokens and headers.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Html, html } from '../../../base/pages/html.ts';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import type { OpenCall } from './portal-page.ts';
import { ForgedError } from './refusals.ts';

export const CSRF_FIELD = '_csrf';
export const CSRF_HEADER = 'x-csrf-token';

/** Returns the hidden field with the CSRF token, which every form with the method POST needs if somebody is signed in. */
export function csrfField({ viewer }: Pick<OpenCall, 'viewer'>): Html {
	if (!viewer) return html``;
	return html`<input type="hidden" name="${CSRF_FIELD}" value="${maskedToken(viewer.session.csrf)}">`;
}

/** Returns the CSRF token masked with random bytes, so that the size of a compressed page tells nothing about the token. */
export function maskedToken(token: string): string {
	const bytes = Buffer.from(token);
	const mask = randomBytes(bytes.length);
	return `${mask.toString('base64url')}.${xor(bytes, mask).toString('base64url')}`;
}

/** Tells whether a text is a masked form of this CSRF token. */
export function isToken(given: string | undefined, token: string): boolean {
	const [mask = '', hidden = '', more] = (given ?? '').split('.');
	const [left, right] = [Buffer.from(mask, 'base64url'), Buffer.from(hidden, 'base64url')];
	const expected = Buffer.from(token);
	if (more !== undefined || left.length !== expected.length || right.length !== expected.length) return false;
	return timingSafeEqual(xor(left, right), expected);
}

/**
 * Checks the CSRF token of a request.
 * @throws ForgedError if the text is not a masked form of the token of the viewer's session
 */
export function requireToken({ session }: Viewer, given: string | undefined): void {
	if (!isToken(given, session.csrf)) throw new ForgedError();
}

/**
 * Tells whether a page of another origin may have sent a request. Browsers send `Sec-Fetch-Site` or `Origin`. A client
 * that sends neither is not a browser, so no foreign page can have made it send the cookies of a user.
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
