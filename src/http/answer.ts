// Sending answers, in the one place that knows both formats.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ServiceError, standardErrorOf } from '../errors.ts';
import { CONTENT_TYPES, errorFormat, successFormat } from './negotiation.ts';
import { type ItemNames, writeXml, writeXmlList } from './xml-writer.ts';

/** How a value is called in XML. */
export interface XmlShape {
	/** Root element; for a list the name of one item. */
	readonly root: string;
	readonly items?: ItemNames;
}

/** Sends a value in the format the caller asked for (spec §7.2). */
export function answer(request: FastifyRequest, reply: FastifyReply, value: unknown, { root, items }: XmlShape) {
	const format = successFormat(request.headers.accept);
	reply.header('content-type', CONTENT_TYPES[format]);
	if (format === 'json') return reply.send(JSON.stringify(value));
	return reply.send(Array.isArray(value) ? writeXmlList(root, value, items) : writeXml(root, value, items));
}

/** Sends a failure as the catalogue has it: an empty body where the row has none, a standard error otherwise. */
export function answerError(request: FastifyRequest, reply: FastifyReply, error: ServiceError) {
	reply.code(error.status);
	if (error.retryable) reply.header('retry-after', '5');
	const body = standardErrorOf(error);
	if (body === null) return reply.removeHeader('content-type').send();
	const format = errorFormat(request.headers.accept);
	reply.header('content-type', CONTENT_TYPES[format]);
	return reply.send(format === 'json' ? JSON.stringify(body) : writeXml('ErrorBlock', body));
}
