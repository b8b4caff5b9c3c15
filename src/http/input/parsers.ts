// How request bodies come in: JSON and XML become a `RequestBody`, everything else is refused with a reason.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { bodyFormat } from '../negotiation/negotiation.ts';
import { decodeBody } from './body-text.ts';
import { parseJsonBody, parseXmlBody, type RequestBody } from './request-body.ts';

/** Adds the parsers. Routes that stream their bodies put their own in the place of these. */
export function addBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	// Any type, and a body whose type is not given.
	app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer | string) =>
		parseBody(bytes as Buffer, request.headers['content-type']),
	);
	// What a few bytes unpack to is bounded by nothing a caller has to pay for.
	app.addHook('preParsing', (request, _reply, _payload, done) => {
		const encoding = request.headers['content-encoding'];
		if (encoding === undefined || encoding.toLowerCase() === 'identity') return done();
		done(
			new ServiceError('bad-input-data', {
				field: 'Content-Encoding',
				problem: 'request bodies are not taken compressed',
			}),
		);
	});
}

/** Takes bodies of any type, unread. It holds for the calls of one plugin. */
export function addRawBodies(app: FastifyInstance): void {
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
}

/** An empty body is none, whatever its type says. */
function parseBody(bytes: Buffer, contentType: string | undefined): RequestBody | undefined {
	if (bytes.length === 0) return undefined;
	const format = bodyFormat(contentType);
	if (!format) throw new ServiceError('bad-input-data', { field: 'Content-Type', problem: 'expected JSON or XML' });
	const text = decodeBody(bytes, contentType);
	return format === 'json' ? parseJsonBody(text) : parseXmlBody(text);
}
