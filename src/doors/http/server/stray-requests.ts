// Handles requests that never reach a route: unreadable paths and messages. Such requests get an empty answer, as
// requests to an unknown path do. Fastify's and Node's own answers would quote the path and have another form.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import type { AccessLog } from './access-log.ts';
import { readRest } from './unread-bodies.ts';

/**
 * Returns the handler for a path that cannot be decoded or is too long. Such a path matches no endpoint (spec §7.4). No
 * hook sees the request, so the handler also writes its log line.
 */
export function strayPaths(log: AccessLog): NonNullable<FastifyServerOptions['frameworkErrors']> {
	return (_error, request, reply) => {
		readRest(request.raw, reply.raw);
		reply.raw.writeHead(404, { 'x-request-id': request.id, 'content-length': 0 }).end();
		log(request as FastifyRequest, { status: 404, outcome: 'complete', elapsedMs: 0 });
	};
}

/** Answers 417 to every `Expect` header but `100-continue`, which Node's server handles by itself. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
	response.writeHead(417, { 'x-request-id': makeRequestId(), 'content-length': 0 }).end();
}

const STATUS_LINES: Readonly<Record<string, string>> = {
	ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
	HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers a message that is not HTTP, or that arrives too slowly, directly on the connection, and closes it. */
export const answerStrayMessage: NonNullable<FastifyServerOptions['clientErrorHandler']> = (error, socket) => {
	if (error.code === 'ECONNRESET' || socket.destroyed) return;
	if (!socket.writable) return void socket.destroy();
	const status = STATUS_LINES[error.code] ?? '400 Bad Request';
	const head = [`HTTP/1.1 ${status}`, `x-request-id: ${makeRequestId()}`, 'content-length: 0', 'connection: close'];
	socket.end(`${head.join('\r\n')}\r\n\r\n`);
	socket.destroySoon();
};

const TIME_CHARACTERS = 12;

/**
 * Creates a request id: a UUID of version 7 (RFC 9562), which begins with the time, so that the index by which the audit trail
 * finds calls grows at its end.
 */
export function makeRequestId(): string {
	const time = Date.now().toString(16).padStart(TIME_CHARACTERS, '0');
	// What follows the version in a UUID of version 4 is random in one of version 7 too.
	return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice('01234567-0123-4'.length)}`;
}
