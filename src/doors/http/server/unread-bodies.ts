// Lets callers read an answer that comes before they have sent their whole body. If a connection is closed while bytes
// of the body are still on their way, the caller's system reports a broken connection and drops the answer. So the
// connection is closed in stages (RFC 9112 §9.6): it says nothing more, but the rest of the body is read and discarded.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The rest of the body of an answered request is read for at most this long. */
export const LINGER_MS = 30_000;

/**
 * Reads on after every answer whose request has not arrived completely. The rest of a streamed body may take longer
 * than the limit, because such a body may have any length, but not if a stranger sends it.
 */
export function readUnreadBodies(app: FastifyInstance, lingerMs = LINGER_MS): void {
	app.addHook('onSend', ({ raw, routeOptions, principal }, reply, payload, done) => {
		const isFile = routeOptions.config?.isStreamed && (principal || raw.readableDidRead);
		readRest(raw, reply.raw, isFile ? undefined : lingerMs);
		done(null, payload);
	});
}

/** Reads on after the answer to one request, for at most `lingerMs` if that is given. Call it before the answer is sent. */
export function readRest(raw: IncomingMessage, answer: ServerResponse, lingerMs: number | undefined = LINGER_MS): void {
	const { socket } = raw;
	// A request that did not come over a connection has none to close.
	if (raw.complete || raw.destroyed || !(socket instanceof Socket)) return;
	const close = socket.destroySoon.bind(socket);
	socket.destroySoon = () => {
		socket.destroySoon = close;
		if (raw.complete || raw.destroyed) return close();
		socket.end();
		raw.once('close', () => socket.destroy());
		raw.resume();
	};
	if (lingerMs === undefined) return;
	answer.once('finish', () => {
		if (raw.complete || raw.destroyed) return;
		const timer = setTimeout(() => raw.destroy(), lingerMs);
		raw.once('close', () => clearTimeout(timer));
	});
}
