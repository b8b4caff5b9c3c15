// Sends answers and errors in JSON or XML, whichever the caller requested.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ServiceError, standardErrorOf } from '../../../base/errors.ts';
import type { FieldErrors } from '../input/field-errors.ts';
import { CONTENT_TYPES, errorFormat, successFormat, type WireFormat } from './negotiation.ts';
import { type ItemNames, writeXml, writeXmlList } from './xml-writer.ts';

export interface XmlShape {
	/** The name of the root element. If the value is a list, it is the name of the element of one item. */
	readonly root: string;
	readonly items?: ItemNames;
	/** The format of the answer, if something other than `Accept` decides it. */
	readonly format?: WireFormat;
}

const RETRY_AFTER_SECONDS = 5;

/** Sends a value in the format that the caller requested (spec §7.2). */
export function answer(request: FastifyRequest, reply: FastifyReply, value: unknown, shape: XmlShape) {
	const { root, items, format = successFormat(request.headers.accept) } = shape;
	reply.header('content-type', CONTENT_TYPES[format]);
	if (format === 'json') return reply.send(JSON.stringify(value));
	return reply.send(Array.isArray(value) ? writeXmlList(root, value, items) : writeXml(root, value, items));
}

/** Sends a failure: an empty body if its row in the error catalogue has no code, otherwise a standard error. */
export function answerError(request: FastifyRequest, reply: FastifyReply, error: ServiceError) {
	reply.code(error.status);
	if (error.retryable) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
	const body = standardErrorOf(error);
	request.answeredError = { reason: error.reason, message: body?.message ?? null, moreInfo: body?.moreInfo ?? null };
	if (body === null) return answerEmpty(reply);
	const format = errorFormat(request.headers.accept);
	reply.header('content-type', CONTENT_TYPES[format]);
	return reply.send(format === 'json' ? JSON.stringify(body) : writeXml('ErrorBlock', body));
}

/** Sends JSON, whatever `Accept` says, to a script of our pages. No cache keeps it. */
export function answerJson(reply: FastifyReply, value: object, status = 200) {
	return reply
		.code(status)
		.header('cache-control', 'no-store')
		.type('application/json; charset=utf-8')
		.send(JSON.stringify(value));
}

/**
 * Sends the one empty 401 for every cause (spec §5.4.1), or an empty 429 for an address that must wait. No error object
 * is created, so that a flood of guesses costs little.
 */
export function answerRefusedLogin(reply: FastifyReply, retryAfterSeconds?: number) {
	if (retryAfterSeconds === undefined) return answerEmpty(reply.code(401));
	return answerEmpty(reply.code(429).header('retry-after', String(retryAfterSeconds)));
}

/** Sends the invalid fields of a body (spec §7.2.4), which are no standard error but in the format of a success. */
export function answerFieldErrors(request: FastifyRequest, reply: FastifyReply, { errors }: FieldErrors) {
	const moreInfo = `invalid fields: ${Object.keys(errors).join(', ')}`;
	request.answeredError = { reason: 'fields', message: null, moreInfo };
	const value = successFormat(request.headers.accept) === 'xml' ? fieldErrorsXml(errors) : { errors };
	return answer(request, reply.code(400), value, { root: 'ValidationErrors', items: FIELD_ERROR_ITEMS });
}

const FIELD_ERROR_ITEMS: ItemNames = { errors: 'error' };

/**
 * Returns the invalid fields in the form for XML. Their names are written as values, because they may contain
 * characters that the name of an element cannot.
 */
function fieldErrorsXml(errors: FieldErrors['errors']) {
	const list = Object.entries(errors).flatMap(([field, messages]) =>
		messages.map((message) => ({ '@field': field, message })),
	);
	return { errors: list };
}

function answerEmpty(reply: FastifyReply) {
	return reply.removeHeader('content-type').send();
}
