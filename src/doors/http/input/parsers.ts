// Adds the parsers of request bodies: JSON and XML become a `RequestBody`, and everything else is refused with a
// reason.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badInput } from '../../../base/errors.ts';
import { bodyFormat } from '../negotiation/negotiation.ts';
import { decodeBody } from './body-text.ts';
import { parseJsonBody, parseXmlBody, type RequestBody } from './request-body.ts';

/** Adds the parsers to an app. Routes that stream their bodies replace them by a parser of their own. */
export function addBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	// This parser receives bodies of every content type, and bodies without one, so that each is refused with our own
	// error.
	app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer | string) =>
		parseBody(bytes as Buffer, request.headers['content-type']),
	);
	// Compressed bodies are refused, because a few bytes could unpack to an unlimited amount at no cost to the caller.
	app.addHook('preParsing', (request, _reply, _payload, done) => {
		const encoding = request.headers['content-encoding'];
		if (encoding === undefined || encoding.toLowerCase() === 'identity') return done();
		done(badInput('Content-Encoding', 'compressed request bodies are not accepted'));
	});
}

/** Makes the routes of one plugin accept a body of any type as bytes, without parsing it. */
export function addRawBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** Parses a body by its content type. An empty body is treated as no body, whatever its content type is. */
function parseBody(bytes: Buffer, contentType: string | undefined): RequestBody | undefined {
	if (bytes.length === 0) return undefined;
	const format = bodyFormat(contentType);
	if (!format) throw badInput('Content-Type', 'expected JSON or XML');
	const text = decodeBody(bytes, contentType);
	return format === 'json' ? parseJsonBody(text) : parseXmlBody(text);
}
