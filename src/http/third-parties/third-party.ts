// What the calls to third parties share: bodies as they come, parameters that are read, and the answer passed on.

import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import { HTTP_METHODS, type HttpMethod } from '../../relay/profile.ts';
import type { ReadyProfile } from '../../relay/profiles.ts';
import { ROUND_TRIP_MS, type ThirdPartyAnswer } from '../../relay/rooms.ts';
import type { HttpRooms } from '../rooms.ts';

/** Longer bodies are not worth copying. */
const MAX_TEXT_BYTES = 65_536;

/** The body as it came; null when there is none. */
export function rawBody({ body }: FastifyRequest): Buffer | null {
	return Buffer.isBuffer(body) && body.length > 0 ? body : null;
}

/** @throws ServiceError for anything but the five, in upper case (spec §4.1) */
export function findHttpMethod(text: string | undefined): HttpMethod | undefined {
	if (text === undefined || text === '') return undefined;
	if ((HTTP_METHODS as readonly string[]).includes(text)) return text as HttpMethod;
	throw new ServiceError('bad-input-data', {
		field: 'httpMethod',
		problem: `expected one of ${HTTP_METHODS.join(', ')}`,
	});
}

/** When the round trip ends, by `performance.now()`. @throws ServiceError */
export function deadlineFor(timeout: string | undefined): number {
	if (timeout === undefined || timeout === '') return performance.now() + ROUND_TRIP_MS;
	if (!/^\d+$/.test(timeout) || Number(timeout) === 0) {
		throw new ServiceError('bad-input-data', {
			field: 'timeout',
			problem: 'expected milliseconds, a whole number above 0',
		});
	}
	return performance.now() + Math.min(Number(timeout), ROUND_TRIP_MS);
}

/** The profile of the caller's primary account (spec §2.5). @throws ServiceError when there is none of exactly this name */
export async function getProfile(
	{ profiles }: Pick<HttpRooms, 'profiles'>,
	{ principal }: FastifyRequest,
	name: string | undefined,
): Promise<ReadyProfile> {
	// No profile's name holds one, and what is asked for may stand in the database's log.
	if (name && holdsCardNumber(name))
		throw new ServiceError('bad-input-data', { field: 'profileName', problem: 'looks like a card number' });
	const found = name ? await profiles.find(principal.ownerId, name) : undefined;
	if (found) return found;
	const what = name ? 'the account has no profile of this name' : 'is required';
	throw new ServiceError('bad-input-data', { field: 'profileName', problem: what });
}

/** @throws ServiceError where a body comes without saying what it is (spec §7.4) */
export function checkContentType({ headers }: FastifyRequest): void {
	if (headers['content-type']) return;
	throw new ServiceError('bad-input-data', { field: 'Content-Type', problem: 'is required' });
}

/** Passes an answer on. What the third party was told has been done, so that it is paid for whatever it says. */
export function passOn(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: ThirdPartyAnswer) {
	request.charge = null;
	if (request.idempotency) request.idempotency.actedWith = new Set(headers.map(([name]) => name.toLowerCase()));
	reply.code(status);
	for (const [name, value] of headers) {
		const before = reply.getHeader(name);
		if (before === undefined || !REPEATED.test(name)) reply.header(name, value);
		else reply.header(name, [before, value].flat().map(String));
	}
	// An empty body as none: HEAD, 204 and 304 may not say how long it is.
	if (body.length === 0) return reply.send();
	// Who has hung up is told the long way, which the access log sees.
	const isShort = body.length <= MAX_TEXT_BYTES && !reply.raw.destroyed;
	return isAsItIs(request) && isShort ? sendAtOnce(reply, body) : reply.send(body);
}

/** Neither packed nor kept for a repetition: nobody else has to look at the answer. */
function isAsItIs({ headers, idempotency, method }: FastifyRequest): boolean {
	return headers['accept-encoding'] === undefined && idempotency === null && method !== 'HEAD';
}

/**
 * Head and body as one text leave in one call to the system, which takes half as long as two; as Latin-1, each byte is a
 * character and comes out as it was.
 */
function sendAtOnce(reply: FastifyReply, body: Buffer): FastifyReply {
	if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/octet-stream');
	reply.header('content-length', body.length).hijack();
	reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
	reply.raw.end(body.toString('latin1'), 'latin1');
	return reply;
}

/** Headers of which an answer may have several. */
const REPEATED = /^(x-|link$|server-timing$)/i;
