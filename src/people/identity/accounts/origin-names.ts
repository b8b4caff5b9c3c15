// Parses origins as browsers send them: `https://shop.example` or `https://shop.example:8443`.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';

/** The longest name of a host that the DNS allows, with the scheme and a port. */
const MAX_LENGTH = 270;
/**
 * Matches the name of one host: letters, digits and hyphens. A text such as `*.example` is refused, because in a CSP it
 * would stand for more than one host.
 */
const HOST = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
/** The hosts of the machine itself, on which pages are developed. */
const OWN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** These sources of a CSP stand for every page of the machine itself. A CSP cannot name `[::1]`. */
export const OWN_MACHINE_SOURCES: readonly string[] = [
	...['http://localhost:*', 'https://localhost:*', 'http://127.0.0.1:*', 'https://127.0.0.1:*'],
];

/**
 * Returns an origin in the form of browsers: lower case, without the usual port. A path is not accepted.
 * @throws ServiceError if the text is not an origin that can be registered
 */
export function parseOrigin(text: string): string {
	const url = findUrl(text);
	const isGood = url?.protocol === 'https:' && HOST.test(url.hostname) && url.origin.length <= MAX_LENGTH;
	if (isGood && !holdsCardNumber(url.origin)) return url.origin;
	throw badInput(
		'origin',
		'expected https://host or https://host:port, without path; in the sandbox, localhost needs no registration',
		told('origin-malformed'),
	);
}

/** Returns the form in which an origin is stored; undefined if the text is no origin that could be registered. */
export function findOrigin(text: string): string | undefined {
	try {
		return parseOrigin(text);
	} catch {
		return undefined;
	}
}

export function isOwnMachine(text: string): boolean {
	const url = findUrl(text);
	return url !== undefined && OWN_HOSTS.has(url.hostname);
}

/** Returns the URL of a text that is nothing but an origin, whatever its scheme. */
function findUrl(text: string): URL | undefined {
	// Blanks, tabs and line breaks are refused first, because the parser leaves some of them out.
	if (text.length > MAX_LENGTH || !/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text)) return undefined;
	return URL.canParse(text) ? new URL(text) : undefined;
}
