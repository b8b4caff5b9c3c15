// Cleans headers in both directions. Outgoing calls carry none of our own headers, none that frame a message, and no
// value that could break out of its line. Incoming answers carry none with which a third party could instruct a
// browser, cache or proxy in our name.

import { ServiceError } from '../errors.ts';
import { ACCEPTED_ENCODINGS } from './unpack.ts';

/** Headers in the form of Node's `request.headers`, or as flat name, value pairs as in `request.rawHeaders`. */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | readonly string[];

export type HeaderPair = readonly [name: string, value: string];

const MAX_VALUE_LENGTH = 8192;
const MAX_TOTAL_LENGTH = 32_768;
const MAX_COUNT = 100;
const MAX_ANSWER_COUNT = 200;

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/**
 * A value may not contain CR, LF or NUL. Nor may it contain characters that need more than one byte: if such a
 * character were cut to its low byte, that byte could be CR, LF or NUL.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** These headers concern only the two ends of one connection (RFC 9110 §7.6.1), or frame a message. */
const HOP_BY_HOP = [
	...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
	...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings', 'content-length'],
];

/** These headers of an answer would set policy for our host in a browser, or instruct a proxy in front of us. */
const FOR_THE_HOST = [
	...['set-cookie2', 'strict-transport-security', 'public-key-pins', 'public-key-pins-report-only', 'expect-ct'],
	...['content-security-policy', 'content-security-policy-report-only', 'x-frame-options', 'x-content-type-options'],
	...['x-xss-protection', 'x-permitted-cross-domain-policies', 'x-download-options', 'x-dns-prefetch-control'],
	...['referrer-policy', 'permissions-policy', 'feature-policy', 'document-policy', 'origin-agent-cluster'],
	...['clear-site-data', 'service-worker-allowed', 'alt-svc', 'alt-used', 'accept-ch', 'critical-ch', 'refresh'],
	...['report-to', 'reporting-endpoints', 'nel', 'sourcemap', 'x-sourcemap', 'speculation-rules', 'set-login'],
	...['timing-allow-origin', 'x-sendfile', 'x-reproxy-url', 'date', 'via', 'warning'],
	// We decide whether answers from our host may be cached, because they can hold tokens and differ by credential.
	...['cache-control', 'cdn-cache-control', 'surrogate-control', 'pragma', 'expires', 'age', 'vary'],
];
const PREFIXES_FOR_THE_HOST = ['x-service-', 'access-control-', 'cross-origin-', 'x-accel-', 'x-lighttpd-', 'sec-'];

/**
 * These headers of a request are addressed to us, or describe how it reached us. `Referer` can be the URL of one of our
 * pages, with a session token in it.
 */
const OURS = [
	...['host', 'authorization', 'cookie', 'cookie2', 'idempotency-key', 'x-request-id', 'expect', 'accept-encoding'],
	...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip', 'referer', 'max-forwards'],
];
const PREFIXES_OF_OURS = ['x-service-', 'x-forwarded-', 'sec-'];

/**
 * These headers get other names on their way to and from third parties (shapes §4), and so do cookies. Under their own
 * names they would be taken for headers of our own interface.
 */
const renamedOut = new Map([
	['x-service-target-authorization', 'authorization'],
	['x-service-target-cookie', 'cookie'],
	['x-service-target-idempotency-key', 'idempotency-key'],
]);
const renamedIn = new Map([
	['set-cookie', 'x-service-target-set-cookie'],
	['www-authenticate', 'x-service-target-www-authenticate'],
	['x-request-id', 'x-service-target-request-id'],
]);

const droppedOut = new Set([...HOP_BY_HOP, ...OURS]);
const droppedIn = new Set([...HOP_BY_HOP, 'content-encoding', ...FOR_THE_HOST]);

/** Only the HTTP client may set these headers, because with one of them a caller could turn one message into two. */
const framing = new Set([...HOP_BY_HOP, 'host', 'expect']);

/**
 * Returns the headers of a call as flat pairs, from those of the request that caused it. `added` replaces incoming
 * headers of the same name.
 * @throws `bad-input-data` if a header cannot be sent
 */
export function outgoingHeaders(incoming: RawHeaders, added: readonly HeaderPair[] = []): string[] {
	const pairs = allHeaders(incoming);
	const named = connectionNames(pairs);
	const replaced = new Set(added.map(([name]) => name.toLowerCase()));
	const headers: string[] = ['accept-encoding', ACCEPTED_ENCODINGS];
	for (const [name, value] of pairs) {
		const sent = renamedOut.get(name) ?? (isDropped(name, droppedOut, PREFIXES_OF_OURS) ? undefined : name);
		if (sent !== undefined && !replaced.has(sent) && !named?.has(name)) headers.push(sent, value);
	}
	for (const [name, value] of added) headers.push(name, value);
	checkSendable(headers);
	return headers;
}

/**
 * Returns those headers of an answer (undici's record) that may be passed on. Names are lower case, and a repeated
 * header has several entries.
 */
export function incomingHeaders(answer: RawHeaders): HeaderPair[] {
	const pairs = allHeaders(answer);
	if (pairs.length > MAX_ANSWER_COUNT)
		throw new ServiceError('target-unreachable', { field: 'targetUri', problem: 'the answer has too many headers' });
	const named = connectionNames(pairs);
	const kept: HeaderPair[] = [];
	for (const [name, value] of pairs) {
		if (named?.has(name) || !VALUE.test(value)) continue;
		const renamed = renamedIn.get(name);
		if (renamed !== undefined) kept.push([renamed, value]);
		else if (!isDropped(name, droppedIn, PREFIXES_FOR_THE_HOST)) kept.push([name, value]);
	}
	return kept;
}

/** Refuses a name, a value or a size that must not be sent, no matter where it came from. */
export function checkSendable(headers: readonly string[]): void {
	if (headers.length > 2 * MAX_COUNT) throw refused('there are too many headers');
	let total = 0;
	for (let index = 0; index < headers.length; index += 2) {
		const [name, value] = [headers[index], headers[index + 1]];
		if (!TOKEN.test(name)) throw refused('the name of a header is malformed');
		if (framing.has(name.toLowerCase())) throw refused('this header cannot be set', name);
		if (!VALUE.test(value)) throw refused('the header holds a character that cannot be sent', name);
		if (value.length > MAX_VALUE_LENGTH) throw refused('the header is too long', name);
		total += name.length + value.length;
	}
	if (total > MAX_TOTAL_LENGTH) throw refused('the headers are too large');
}

/** Returns all headers, of an answer (undici's record) too, which may be read here but not passed on. Names are lower case. */
export function allHeaders(headers: RawHeaders): HeaderPair[] {
	const pairs: HeaderPair[] = [];
	if (Array.isArray(headers)) {
		for (let index = 0; index + 1 < headers.length; index += 2)
			pairs.push([headers[index].toLowerCase(), headers[index + 1]]);
		return pairs;
	}
	for (const [spelled, value] of Object.entries(headers as Exclude<RawHeaders, readonly string[]>)) {
		const name = spelled.toLowerCase();
		if (typeof value === 'string') pairs.push([name, value]);
		else for (const one of value ?? []) pairs.push([name, one]);
	}
	return pairs;
}

/**
 * Returns the headers that a `Connection` header declares to be for this hop only: `a` and `b` in `Connection: a, b`.
 */
function connectionNames(pairs: readonly HeaderPair[]): Set<string> | undefined {
	let names: Set<string> | undefined;
	for (const [name, value] of pairs) {
		if (name !== 'connection' || value === 'keep-alive' || value === 'close') continue;
		names ??= new Set();
		for (const one of value.split(',')) names.add(one.trim().toLowerCase());
	}
	return names;
}

function isDropped(name: string, names: ReadonlySet<string>, prefixes: readonly string[]): boolean {
	return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

function refused(problem: string, field?: string): ServiceError {
	return new ServiceError('bad-input-data', field === undefined ? { moreInfo: problem } : { field, problem });
}
