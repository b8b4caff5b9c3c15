/** Matches scheme and host at the start of a URL, because a proxy may send the whole URL (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:\/\/[^/]*/;

/** Returns the path of a request's URL without the query, with its escapes exactly as they were sent. */
export function pathAsSent(url: string): string {
	return url.replace(ORIGIN, '').split('?', 1)[0];
}
