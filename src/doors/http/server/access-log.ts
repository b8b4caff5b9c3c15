import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Reason } from '../../../base/errors.ts';
import { type Logger, OWN_FIELDS, ownText } from '../../../base/log/log.ts';
import { credentialOf } from '../../../people/identity/principal.ts';
import type { Call } from '../calls/call.ts';
import { REQUESTS_PATH } from '../routes/requests.ts';
import type { CallLog, Outcome } from './call-log.ts';
import { answeredErrorOf, isOfCaller, logFailure, toServiceError } from './failures.ts';
import { openRefusedLines } from './refused-lines.ts';

declare module 'fastify' {
	interface FastifyRequest {
		/**
		 * Tells whether the request's log line is written: `none` before there is an answer, `due` while there is one
		 * but no line, and `written` afterwards.
		 */
		accessLine: 'none' | 'due' | 'written';
		/**
		 * The error with which the request was answered, or for which its streamed answer ended early, and its text, for
		 * the list of the account's own calls.
		 */
		answeredError: AnsweredError | null;
		streamedAnswer: Readable | null;
	}
}

/** The reason for which a call failed; `fields` means that the answer listed every invalid field. */
export type AnsweredReason = Reason | 'fields';

export interface AnsweredError {
	readonly reason: AnsweredReason;
	readonly message: string | null;
	readonly moreInfo: string | null;
}

interface Answered {
	readonly route?: string;
	readonly call?: Call;
	readonly status: number;
	readonly outcome: Outcome;
	readonly elapsedMs: number;
}

/** Is called once for each answered request, for metrics. */
export type OnAnswered = (seen: {
	readonly route: string;
	readonly method: string;
	readonly status: number;
	readonly seconds: number;
	readonly call?: Call;
	readonly reason?: AnsweredReason;
	readonly accountId?: AccountId;
}) => void;

export type AccessLog = ReturnType<typeof openAccessLog>;

/**
 * Matches the pattern that follows the name of a path parameter, as in `:cardToken(^[0-9A-Fa-f]{32}$)`. It is removed,
 * so that logs and metrics show only the name.
 */
const SHAPE_OF_PARAMETER = /\([^)]*\)/g;

/**
 * Writes one line per request, with the call and its outcome, but never a path, a query or a body. Refused requests
 * without a valid credential get only a limited number of lines per address and minute; the others are counted.
 */
export function openAccessLog(
	{ logger, onAnswered }: { readonly logger: Logger; readonly onAnswered?: OnAnswered },
	calls: Pick<CallLog, 'note'>,
) {
	const names = new Map<string, string>();
	const refused = openRefusedLines(logger);
	const write = (
		{ method, id, ip, principal, answeredError }: FastifyRequest,
		{ route: path = 'none', call, status, outcome, elapsedMs }: Answered,
	) => {
		let route = names.get(path);
		if (route === undefined) names.set(path, (route = path.replaceAll(SHAPE_OF_PARAMETER, '')));
		const ms = Math.round(elapsedMs);
		const isStranger = status >= 400 && status < 500 && !principal;
		if (!isStranger || refused.takes(ip))
			logger.info(
				{
					[OWN_FIELDS]: true,
					requestId: id,
					method,
					route,
					status,
					outcome,
					reason: answeredError?.reason,
					ms,
					address: ip === undefined ? undefined : ownText(ip),
					user: principal ? ownText(principal.userId) : undefined,
				},
				'http request',
			);
		onAnswered?.({
			route,
			method,
			status,
			seconds: elapsedMs / 1000,
			call,
			reason: answeredError?.reason,
			accountId: principal?.accountId,
		});
		// Calls that read the list of calls are left out of the list.
		if (!principal || route === REQUESTS_PATH) return;
		const { message = null, moreInfo = null } = answeredError ?? {};
		calls.note(principal.accountId, {
			id,
			method,
			route,
			status,
			outcome,
			message,
			moreInfo,
			credential: credentialOf(principal),
		});
	};
	// `flush` logs how many lines were left out so far.
	return Object.assign(write, { flush: refused.flush });
}

/**
 * Adds a log line for every call. The line is written when the answer was sent, or when the client hangs up while the
 * answer is sent, so it tells how a streamed answer ended and not only how it began.
 */
export function addAccessLog(app: FastifyInstance, log: AccessLog, logger: Logger): void {
	app.decorateRequest('accessLine', 'none');
	app.decorateRequest('answeredError', null);
	app.decorateRequest('streamedAnswer', null);
	const write = (request: FastifyRequest, reply: FastifyReply, isSent: boolean) => {
		if (request.accessLine === 'written') return;
		request.accessLine = 'written';
		const { url: route, config } = request.routeOptions;
		const outcome = findOutcome(request, reply, isSent, logger);
		log(request, { route, call: config?.call, status: reply.statusCode, outcome, elapsedMs: reply.elapsedTime });
	};
	app.addHook('onRequest', (request, reply, done) => {
		reply.raw.once('finish', () => write(request, reply, true));
		reply.raw.once('close', () => {
			// If the client hangs up before the whole answer is sent, the log line is written at once.
			if (request.accessLine === 'due' || reply.sent) write(request, reply, false);
		});
		done();
	});
	app.addHook('onSend', (request, reply, payload, done) => {
		if (request.accessLine === 'none') request.accessLine = 'due';
		request.streamedAnswer = payload instanceof Readable ? payload : null;
		if (reply.raw.closed) write(request, reply, false);
		done(null, payload);
	});
	app.addHook('onClose', (_app, done) => {
		log.flush();
		done();
	});
}

/**
 * Finds out how an answer ended. A failure that broke off a streamed answer becomes the answered error, because the
 * caller could not get it in any other way.
 */
function findOutcome(request: FastifyRequest, { statusCode }: FastifyReply, isSent: boolean, logger: Logger): Outcome {
	const error = request.streamedAnswer?.errored;
	if (error && !isOfCaller(error, request)) {
		const failure = toServiceError(error);
		logFailure(logger, request, { failure, error, message: 'streamed answer broken off' });
		request.answeredError = answeredErrorOf(failure);
		return 'broken-off';
	}
	if (!isSent) return 'caller-gone';
	return request.answeredError && statusCode < 400 ? 'broken-off' : 'complete';
}
