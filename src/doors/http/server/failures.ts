// Turns every failure of a request over HTTP into an answer (spec §7).

import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { findOutage } from '../../../base/blobs/outages.ts';
import { mayHaveCommitted } from '../../../base/database/dialect.ts';
import { type Reason, ServiceError, standardErrorOf } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log/log.ts';
import { FileError } from '../../../engine/format.ts';
import { OptionsError } from '../../../engine/options.ts';
import { takesKey } from '../idempotency/takes-key.ts';
import { FieldErrors } from '../input/field-errors.ts';
import { ClientGoneError } from '../input/streaming-body.ts';
import { answerError, answerFieldErrors } from '../negotiation/answer.ts';
import type { AnsweredError } from './access-log.ts';

/** These failures are no fault of ours: a third party is away or slow, or too many calls to them are waiting. */
const OF_OTHERS: ReadonlySet<Reason> = new Set<Reason>([
	...(['target-unreachable', 'request-timed-out', 'too-many-calls', 'too-many-calls-of-account'] as const),
]);

declare module 'fastify' {
	interface FastifyRequest {
		/** True once a third party has received this call or may have received it. */
		mayHaveActed: boolean;
	}
}

/** Answers every failure with an error from the catalogue. */
export function addFailures(app: FastifyInstance, logger: Logger): void {
	app.decorateRequest('mayHaveActed', false);
	app.setErrorHandler((error: FastifyError, request, reply) => {
		if (error instanceof FieldErrors) return answerFieldErrors(request, reply, error);
		const failure = isOfCaller(error, request)
			? new ServiceError('bad-input-data', { field: 'body', problem: 'the caller went away', cause: error })
			: toServiceError(error, request.routeOptions.bodyLimit);
		logFailure(logger, request, { failure, error });
		const isOpen = request.mayHaveActed || (mayHaveCommitted(error) && !canBeRepeated(request));
		return answerError(request, reply, isOpen ? unrepeatable(failure) : failure);
	});
}

/**
 * Returns whether a call may be repeated even if it has taken effect: it changes nothing, or the claim of its idempotency
 * key notes what it has made, and a repeated call finds that.
 */
function canBeRepeated({ idempotency, routeOptions, method }: FastifyRequest): boolean {
	return idempotency?.claim !== undefined || !takesKey(routeOptions.config, method);
}

/**
 * Returns the answer to a call that failed after a third party had received it, or after the database was asked to commit
 * what it had made. A 503 would invite the caller to repeat the call, and it might take effect twice. So the answer is the
 * 504 of a call whose outcome is unknown.
 */
function unrepeatable(failure: ServiceError): ServiceError {
	if (!failure.retryable) return failure;
	return new ServiceError('request-timed-out', { cause: failure, isOutcomeUnknown: true });
}

/**
 * Returns whether an error only says that the caller went away. A connection that the caller cut has the same error
 * code as a lost connection to the database, so the error object is compared and not its code.
 */
export function isOfCaller(error: Error, { raw }: FastifyRequest): boolean {
	return error === raw.errored || error instanceof ClientGoneError;
}

/** Logs a failure: our own as an error with its stack, one of a third party as a warning, a refusal at level debug. */
export function logFailure(
	logger: Logger,
	{ id }: FastifyRequest,
	{ failure, error, message }: { readonly failure: ServiceError; readonly error: Error; readonly message?: string },
): void {
	const about = { requestId: id, reason: failure.reason };
	if (OF_OTHERS.has(failure.reason))
		logger.warn({ ...about, moreInfo: failure.moreInfo }, message ?? 'request failed elsewhere');
	else if (failure.status >= 500) logger.error({ ...about, err: error }, message ?? 'request failed');
	else logger.debug({ ...about, moreInfo: failure.moreInfo }, message ?? 'request refused');
}

/** Returns what the list of the account's calls shows of a failure. */
export function answeredErrorOf(failure: ServiceError): AnsweredError {
	const { message, moreInfo } = standardErrorOf(failure) ?? { message: null, moreInfo: failure.moreInfo };
	return { reason: failure.reason, message, moreInfo };
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
		return new ServiceError('file-malformed', {
			moreInfo: `${place}: ${error.message}`,
			told: error.told,
			cause: error,
		});
	}
	if (error instanceof OptionsError) return new ServiceError('bad-input-data', { moreInfo: error.message });
	const outage = findOutage(error);
	if (outage !== undefined) return new ServiceError(outage, { cause: error });
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
