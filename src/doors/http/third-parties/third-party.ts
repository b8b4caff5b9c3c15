// Holds the code that all calls to third parties share: it reads unparsed bodies and parameters, and passes the answer
// on.

import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { badInput } from '../../../base/errors.ts';
import type { Profile } from '../../../work/relay/profiles/profile.ts';
import { HTTP_METHODS, type HttpMethod } from '../../../work/relay/profiles/profile.ts';
import type { Profiles } from '../../../work/relay/profiles/profiles.ts';
import { ROUND_TRIP_MS, type ThirdPartyAnswer } from '../../../work/relay/third-party-call.ts';

/**
 * If the body of an answer is longer than this, it is not joined into one text with the status line and the headers,
 * because the copy would cost more than it saves.
 */
const MAX_TEXT_BYTES = 65_536;

/** Returns the body as it was received; null if there is none. */
export function rawBody({ body }: FastifyRequest): Buffer | null {
	return Buffer.isBuffer(body) && body.length > 0 ? body : null;
}

/**
 * Reads the name of an HTTP method. Returns undefined if the text is absent or empty.
 * @throws ServiceError for anything but the five known methods in upper case (spec §4.1)
 */
export function findHttpMethod(text: string | undefined): HttpMethod | undefined {
	if (text === undefined || text === '') return undefined;
	if ((HTTP_METHODS as readonly string[]).includes(text)) return text as HttpMethod;
	throw badInput('httpMethod', `expected one of ${HTTP_METHODS.join(', ')}`);
}

/**
 * Returns the time at which the round trip must end, as `performance.now()` counts time.
 * @throws ServiceError if `timeout` is not a whole number of milliseconds above 0
 */
export function deadlineFor(timeout: string | undefined): number {
	if (timeout === undefined || timeout === '') return performance.now() + ROUND_TRIP_MS;
	if (!/^\d+$/.test(timeout) || Number(timeout) === 0) {
		throw badInput('timeout', 'expected milliseconds, a whole number above 0');
	}
	return performance.now() + Math.min(Number(timeout), ROUND_TRIP_MS);
}

/**
 * Returns a profile of the caller's primary account (spec §2.5).
 * @throws ServiceError if there is none with exactly this name
 */
export async function getProfile(
	{ profiles }: { profiles: Profiles },
	{ principal }: FastifyRequest,
	name: string | undefined,
): Promise<Profile> {
	// The name is not looked up if it contains a card number, because no profile has such a name and the database may log
	// the text of a query.
	const problem = name ? cardNumberProblem(name) : undefined;
	if (problem !== undefined) throw badInput('profileName', problem);
	const found = name ? await profiles.find(principal.ownerId, name) : undefined;
	if (found) return found;
	throw badInput('profileName', name ? 'the account has no profile of this name' : 'is required');
}

/**
 * Checks that a body has a content type (spec §7.4).
 * @throws ServiceError if it has none
 */
export function checkContentType({ headers }: FastifyRequest): void {
	if (headers['content-type']) return;
	throw badInput('Content-Type', 'is required');
}

/** Passes an answer on. The third party has acted on the call, so the call is paid for, whatever the answer says. */
export function passOn(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ThirdPartyAnswer) {
	request.charge = null;
	if (request.idempotency) request.idempotency.actedWith = new Set(headers.map(([name]) => name.toLowerCase()));
	reply.code(status);
	for (const [name, value] of headers) {
		const before = reply.getHeader(name);
		if (before === undefined || !REPEATED.test(name)) reply.header(name, value);
		else reply.header(name, [before, value].flat().map(String));
	}
	// An empty body is not sent, because an answer to HEAD or with status 204 or 304 must not state a length of 0.
	if (body.length === 0) return reply.send();
	// If the client is gone, we still use `reply.send`, so that the access log records the answer.
	const isShort = body.length <= MAX_TEXT_BYTES && !reply.raw.destroyed;
	return isAsItIs(request) && isShort ? sendAtOnce(reply, body) : reply.send(body);
}

/** Tells whether an answer goes out unchanged: it is neither compressed nor kept for a repeated call. */
function isAsItIs({ headers, idempotency, method }: FastifyRequest): boolean {
	return headers['accept-encoding'] === undefined && idempotency === null && method !== 'HEAD';
}

/**
 * Sends the head of an answer (status line and headers) and its body as one text in one call to the system, which takes
 * half as long as two calls. The text is Latin-1, so each byte is one character and is sent unchanged.
 */
function sendAtOnce(reply: FastifyReply, body: Buffer): FastifyReply {
	if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/octet-stream');
	reply.header('content-length', body.length).hijack();
	reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
	reply.raw.end(body.toString('latin1'), 'latin1');
	return reply;
}

/** Matches the names of headers that may occur several times in an answer. */
const REPEATED = /^(x-|link$|server-timing$)/i;
