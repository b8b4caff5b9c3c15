// Checks the URLs and origins in the parameters of a form. They must be of origins that the account has registered, so
// that nobody who has a link can send a cardholder or a token elsewhere.

import { badInput } from '../../../base/errors.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Principal } from '../../../people/identity/principal.ts';

const MAX_ADDRESS_CHARACTERS = 2_048;
const NOT_REGISTERED = 'expected an origin that the account has registered';

/**
 * Checks a URL to which the browser may be sent, and returns it. Its placeholders are not filled yet.
 * @throws ServiceError if it is not valid, or not of a registered origin
 */
export async function checkAddress(
	field: string,
	text: string | undefined,
	principal: Pick<Principal, 'accountId'>,
	{ identity }: { identity: Identity },
): Promise<string | undefined> {
	if (text === undefined || text === '') return undefined;
	const refuse = (problem: string) => badInput(field, problem);
	if (text.length > MAX_ADDRESS_CHARACTERS) throw refuse(`longer than ${MAX_ADDRESS_CHARACTERS} characters`);
	// The scheme and the host are read from the text itself, because a URL parser would also accept `https:/` and
	// backslashes in place of `https://`.
	const [, host] = /^https?:\/\/([^/?#\\]+)([/?#]|$)/i.exec(text) ?? [];
	const url = host === undefined || /[{}@\s]/.test(host) ? undefined : findUrl(text);
	if (url?.username !== '' || url.password !== '') throw refuse('expected an https address');
	if (!(await identity.origins.allows(principal.accountId, url.origin))) throw refuse(NOT_REGISTERED);
	return text;
}

/**
 * Returns the origin with which a page exchanges messages. If a whole URL is given, its path is ignored.
 * @throws ServiceError if it is not valid, or not registered
 */
export async function checkMessageOrigin(
	text: string | undefined,
	principal: Pick<Principal, 'accountId'>,
	{ identity }: { identity: Identity },
): Promise<string | undefined> {
	if (text === undefined || text === '') return undefined;
	const refuse = (problem: string) => badInput('postMessageHost', problem);
	const url = /^https?:\/\//i.test(text) ? findUrl(text) : undefined;
	if (url?.username !== '' || url.password !== '') throw refuse('expected an origin, as in https://shop.example');
	if (!(await identity.origins.allows(principal.accountId, url.origin))) throw refuse(NOT_REGISTERED);
	return url.origin;
}

function findUrl(text: string): URL | undefined {
	return URL.canParse(text) ? new URL(text) : undefined;
}

/** Fills the placeholders of a URL. Every value is encoded, so that none can change the parts of the URL around it. */
export function fillAddress(address: string, values: Readonly<Record<string, string>>): string {
	const filled = address.replace(/\{(\w+)\}|%7B(\w+)%7D/gi, (whole, plain, encoded) => {
		const name: string = plain ?? encoded;
		return Object.hasOwn(values, name) ? encodeURIComponent(values[name].toWellFormed()) : whole;
	});
	return new URL(filled).href;
}
