// Turns every failure of a request over HTTP into an answer (spec §7).

import type { FastifyError, FastifyInstance } from 'fastify';
import { isUnavailable } from '../../database/dialect.ts';
import { isOutOfSpace } from '../../drops/blob-store.ts';
import { type Reason, ServiceError } from '../../errors.ts';
import { RootKeyError } from '../../keys/root-key.ts';
import type { Logger } from '../../log.ts';
import { FileError } from '../../transfer/format.ts';
import { OptionsError } from '../../transfer/options.ts';
import { FieldErrors } from '../input/field-errors.ts';
import { answerError, answerFieldErrors } from '../negotiation/answer.ts';

/**
 * These failures are not our fault and need no alarm: a third party is unavailable or slow, or too many calls to third
 * parties are waiting.
 */
const OF_OTHERS: ReadonlySet<Reason> = new Set<Reason>([
	...(['target-unreachable', 'request-timed-out', 'too-many-calls', 'too-many-calls-of-account'] as const),
]);

/** Answers every failure with an error from the catalogue. */
export function addFailures(app: FastifyInstance, logger: Logger): void {
	app.setErrorHandler((error: FastifyError, request, reply) => {
		if (error instanceof FieldErrors) return answerFieldErrors(request, reply, error);
		// A connection that the caller cut has the same error code as a lost connection to the database, so the error
		// object is compared and not its code.
		const isGone = error === request.raw.errored;
		const failure = isGone
			? new ServiceError('bad-input-data', { field: 'body', problem: 'the caller went away', cause: error })
			: toServiceError(error, request.routeOptions.bodyLimit);
		const about = { requestId: request.id, reason: failure.reason };
		if (OF_OTHERS.has(failure.reason))
			logger.warn({ ...about, moreInfo: failure.moreInfo }, 'request failed elsewhere');
		else if (failure.status >= 500) logger.error({ ...about, err: error }, 'request failed');
		else logger.debug({ ...about, moreInfo: failure.moreInfo }, 'request refused');
		return answerError(request, reply, failure);
	});
}

/**
 * Returns the error that a caller gets; anything unknown is a 500 without details. `bodyLimit` is the number of bytes
 * that the endpoint takes, for an error that says so.
 */
export function toServiceError(error: unknown, bodyLimit?: number): ServiceError {
	if (error instanceof ServiceError) return error;
	if (error instanceof FileError) {
		const { offset, line, record } = error.at;
		const place = [`offset ${offset}`, line && `line ${line}`, record && `record ${record}`].filter(Boolean).join(', ');
		return new ServiceError('file-malformed', { moreInfo: `${place}: ${error.message}`, cause: error });
	}
	if (error instanceof OptionsError) return new ServiceError('bad-input-data', { moreInfo: error.message });
	if (error instanceof RootKeyError) return new ServiceError('key-store-unavailable', { cause: error });
	if (isUnavailable(error)) return new ServiceError('database-unavailable', { cause: error });
	if (isOutOfSpace(error)) return new ServiceError('drop-store-unavailable', { cause: error });
	return fromFastify(error, bodyLimit) ?? new ServiceError('system-error', { cause: error });
}

/**
 * Translates Fastify's own refusals: parameters that do not match their schema, and a body that is too large, is empty
 * or has an unknown type.
 */
function fromFastify(error: unknown, bodyLimit?: number): ServiceError | undefined {
	if (!(error instanceof Error)) return undefined;
	const { code, statusCode, validation, validationContext } = error as FastifyError;
	const refuse = (field: string, problem: string) =>
		new ServiceError('bad-input-data', { field, problem, cause: error });
	if (validation?.[0]) return refuse(...placeOf(validation[0], validationContext));
	switch (code) {
		case 'FST_ERR_CTP_BODY_TOO_LARGE':
			return refuse('body', `larger than the ${bodyLimit ? `${bodyLimit} bytes` : 'size'} that this endpoint takes`);
		case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
			return refuse('Content-Type', 'expected JSON or XML');
		case 'FST_ERR_CTP_EMPTY_JSON_BODY':
		case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
			return refuse('body', 'empty or not of its stated length');
	}
	// Fastify's own refusals of a request have codes that begin with `FST_ERR_`. An error without such a code comes from
	// elsewhere, so its status is not used.
	const isRefusal = code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500;
	return isRefusal ? refuse('request', 'cannot be read') : undefined;
}

/** Returns the name of the invalid field and its rule, but never its content. */
function placeOf(
	first: NonNullable<FastifyError['validation']>[number],
	context: string | undefined,
): [field: string, problem: string] {
	const missing = first.params.missingProperty;
	const field = [first.instancePath.replaceAll('/', '.').slice(1), missing].filter(Boolean).join('.');
	return [field || `${context}`, missing ? 'is required' : ruleOf(first)];
}

/** Returns the rule that a value broke. Of a list of values, the validator's own text does not name any. */
function ruleOf({ params, message }: NonNullable<FastifyError['validation']>[number]): string {
	const { allowedValues } = params;
	return Array.isArray(allowedValues) ? `expected one of ${allowedValues.join(', ')}` : `${message}`;
}
