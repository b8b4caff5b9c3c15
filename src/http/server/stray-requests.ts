// Handles requests that never reach a route: unreadable paths and messages. They get an empty answer like any unknown
// path; Fastify's and Node's own answers would quote the path and have another form.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest, FastifyServerOptions } from 'fastify';
import type { AccessLog } from './access-log.ts';
import { makeRequestId } from './request-id.ts';

/**
 * A path that cannot be decoded or is too long matches no endpoint (spec §7.4). No hook sees such a request, so its log
 * line is written here.
 */
export function strayPaths(log: AccessLog): NonNullable<FastifyServerOptions['frameworkErrors']> {
	return (_error, request, reply) => {
		reply.raw.writeHead(404, { 'x-request-id': request.id, 'content-length': 0 }).end();
		log(request as FastifyRequest, { status: 404, elapsedMs: 0 });
	};
}

/** Answers 417 to every `Expect` header. `100-continue` never comes here, because Node's server handles it. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
	response.writeHead(417, { 'x-request-id': makeRequestId(), 'content-length': 0 }).end();
}

const STATUS_LINES: Readonly<Record<string, string>> = {
	ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
	HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** A message that is not HTTP, or arrives too slowly, is answered directly on the connection, which is then closed. */
export const answerStrayMessage: NonNullable<FastifyServerOptions['clientErrorHandler']> = (error, socket) => {
	if (error.code === 'ECONNRESET' || socket.destroyed) return;
	if (!socket.writable) return void socket.destroy();
	const status = STATUS_LINES[error.code] ?? '400 Bad Request';
	const head = [`HTTP/1.1 ${status}`, `x-request-id: ${makeRequestId()}`, 'content-length: 0', 'connection: close'];
	socket.end(`${head.join('\r\n')}\r\n\r\n`);
	socket.destroySoon();
};
