// Names the cookies of the portal, and reads and writes them.

import type { FastifyReply, FastifyRequest } from 'fastify';

const ONE_YEAR_SECONDS = 31_536_000;
const NOTICE_SECONDS = 60;
const MAX_NOTICE_CHARACTERS = 500;

export type CookieName = 'session' | 'language' | 'scheme' | 'zone' | 'notice' | 'sign-on';

const NAMES: Readonly<Record<CookieName, string>> = {
	session: 'tokendrop',
	language: 'tokendrop-language',
	scheme: 'tokendrop-scheme',
	zone: 'tokendrop-zone',
	notice: 'tokendrop-notice',
	'sign-on': 'tokendrop-sign-on',
};

/**
 * Returns the name of a cookie. Over TLS its name begins with `__Host-`, so that browsers bind it to this host and no
 * other host of the domain can set it.
 */
function cookieName(request: Pick<FastifyRequest, 'protocol' | 'server'>, name: CookieName): string {
	return request.server.isHttps(request) ? `__Host-${NAMES[name]}` : NAMES[name];
}

/** Returns the value of a cookie. If it was sent twice, the first value is used. */
export function readCookie(request: Pick<FastifyRequest, 'protocol' | 'server' | 'headers'>, name: CookieName) {
	const wanted = cookieName(request, name);
	for (const pair of (request.headers.cookie ?? '').split(';')) {
		const [key, value] = pair.trim().split('=', 2);
		if (key === wanted) return value;
	}
	return undefined;
}

/**
 * Adds a cookie to an answer. Without `seconds`, browsers forget it when they are closed. With `SameSite=Lax`, they
 * send it when a link in a mail is followed, but never with a form of another site.
 */
export function writeCookie(
	{ request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
	name: CookieName,
	value: string,
	seconds?: number,
): void {
	const isSecure = request.server.isHttps(request);
	const parts = [`${cookieName(request, name)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
	if (seconds !== undefined) parts.push(`Max-Age=${seconds}`);
	if (isSecure) parts.push('Secure');
	const before = [reply.getHeader('set-cookie') ?? []].flat().map(String);
	reply.removeHeader('set-cookie').header('set-cookie', [...before, parts.join('; ')]);
}

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

export function removeCookie(exchange: Exchange, name: CookieName): void {
	writeCookie(exchange, name, '', 0);
}

/** Stores what a reader has chosen for all pages. */
export function keepChoice(exchange: Exchange, name: 'language' | 'scheme' | 'zone', chosen: string): void {
	writeCookie(exchange, name, chosen, ONE_YEAR_SECONDS);
}

/** Stores a message in a cookie, to be shown at the top of the next page. */
export function keepNotice(exchange: Exchange, text: string): void {
	const kept = Buffer.from(text.slice(0, MAX_NOTICE_CHARACTERS)).toString('base64url');
	writeCookie(exchange, 'notice', kept, NOTICE_SECONDS);
}

/** Returns the message that an earlier answer stored for this page, and removes its cookie, so that it is shown once. */
export function takeNotice(exchange: Exchange): string | undefined {
	const kept = readCookie(exchange.request, 'notice');
	if (!kept) return undefined;
	removeCookie(exchange, 'notice');
	return Buffer.from(kept, 'base64url').toString().slice(0, MAX_NOTICE_CHARACTERS);
}
