import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ServiceError } from '../errors.ts';
import { AnswerBody, type ByteBudget } from './answer-body.ts';
import type { Connection } from './connection.ts';
import { allHeaders, type HeaderPair, incomingHeaders } from './headers.ts';
import { afterSending, failureOf, unreachable } from './outbound-failure.ts';
import { encodingsOf, unpack } from './unpack.ts';

/**
 * This error is thrown if a connection closed before a call was sent over it, so that the call may be sent over another
 * connection.
 */
export class ConnectionGone extends Error {
	override readonly name = 'ConnectionGone';
}

export interface OutboundAnswer {
	readonly status: number;
	/**
	 * The headers that may be passed on (`headers.ts`), or all of a raw answer. Names are lower case, and a repeated header has
	 * several entries.
	 */
	readonly headers: readonly HeaderPair[];
	/** The body of the answer, after decompression unless the answer is raw. */
	readonly body: Buffer;
}

/** Supplies a call with a connection and takes the connection back after the call. */
export interface Way {
	/** Returns an open and idle connection, if there is one. */
	take(now: number): Connection | undefined;
	/** Opens a new connection to addresses that were checked. */
	open(signal: AbortSignal): Promise<Connection>;
	/** Takes a connection back after a call that was completed, so that another call can use it. */
	give(connection: Connection): void;
}

export interface ExchangeOptions {
	readonly target: Way;
	readonly request: Dispatcher.DispatchOptions;
	readonly deadlineAt: number;
	readonly maxAnswerBytes: number;
	/** True if the answer keeps all its headers and is not decompressed. */
	readonly isRaw?: boolean;
	readonly budget: ByteBudget;
	/** This function is called once, with the answer or with the reason why there is none. */
	readonly onEnd: (error: ServiceError | undefined, answer?: OutboundAnswer) => void;
}

/** A target may send at most this many interim answers (1xx) before the final one. */
const MAX_INTERIM = 16;

/**
 * This is one call in progress: it takes or opens a connection, listens to undici, and ends at its deadline at the
 * latest. Its states:
 * - *connecting*: it opens a connection, unless one waits.
 * - *given to undici*: the request is on a connection, but no byte of it has left. If the connection turns out to be gone,
 *   the call goes back to connecting, once.
 * - *sent* (`onRequestStart`): the target may have acted on it, so it is never sent again.
 * - *over* (`#finish`): `onEnd` was called, with the answer or the error. Whatever undici still reports is ignored.
 */
export class Exchange implements Dispatcher.DispatchHandler {
	readonly #options: ExchangeOptions;
	readonly #body = new AnswerBody();
	#timer: NodeJS.Timeout | undefined;
	#connection: Connection | undefined;
	#controller: Dispatcher.DispatchController | undefined;
	#opening: AbortController | undefined;
	#isSent = false;
	#isRepeated = false;
	#isOver = false;
	#interim = 0;
	#status = 0;
	#headers: IncomingHttpHeaders = {};

	constructor(options: ExchangeOptions) {
		this.#options = options;
	}

	start(now: number): void {
		const { target, deadlineAt } = this.#options;
		// The deadline is a plain timer, because every call needs one, and starting and clearing it takes well under a
		// microsecond.
		this.#timer = setTimeout(() => this.fail(new ServiceError('request-timed-out')), Math.max(1, deadlineAt - now));
		const waiting = target.take(now);
		if (waiting === undefined) void this.#open();
		else this.#send(waiting);
	}

	/** Ends the call without an answer. If it is already over, nothing happens. */
	fail(error: ServiceError): void {
		if (this.#isOver) return;
		this.#finish(error);
		this.#opening?.abort(error);
		// This abort makes undici close the connection and report an error to our listener, which ignores the error because
		// the call is already over.
		this.#controller?.abort(error);
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		this.#controller = controller;
		this.#isSent = true;
		if (this.#isOver) controller.abort(new ServiceError('request-timed-out'));
	}

	onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
		this.#connection!.hasAnswered = true;
		if (status < 200) {
			if (++this.#interim > MAX_INTERIM) this.fail(unreachable('the target sends only interim answers'));
			return;
		}
		this.#status = status;
		this.#headers = headers;
		// HTTP only requires that a status has three digits. A status above 599 counts as a failure, because our own HTTP
		// server could not pass it on to its caller.
		if (status > 599) this.fail(unreachable('the answer has no valid status'));
		const isWithoutBody = this.#options.request.method === 'HEAD' || status === 304;
		if (!isWithoutBody && Number(headers['content-length']) > this.#options.maxAnswerBytes)
			this.fail(unreachable('the answer is too large'));
		else this.#body.announce(Number(headers['content-length']));
	}

	onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
		if (this.#isOver) return;
		const { maxAnswerBytes, budget } = this.#options;
		if (this.#body.length + piece.length > maxAnswerBytes) this.fail(unreachable('the answer is too large'));
		else if (!budget.take(piece.length)) this.fail(unreachable('too many large answers at one time'));
		else this.#body.append(piece);
	}

	onResponseEnd(): void {
		if (this.#isOver) return;
		this.#controller = undefined;
		this.#options.target.give(this.#connection!);
		try {
			const { isRaw } = this.#options;
			const headers = (isRaw ? allHeaders : incomingHeaders)(this.#headers as Record<string, string | string[]>);
			const encodings = isRaw ? [] : encodingsOf(this.#headers['content-encoding']);
			const raw = this.#body.bytes();
			const isPlain = encodings.length === 0 || raw.length === 0;
			const body = isPlain ? raw : unpack(raw, encodings, this.#options.maxAnswerBytes);
			const answer = (unpacked: Buffer) => this.#finish(undefined, { status: this.#status, headers, body: unpacked });
			if (Buffer.isBuffer(body)) answer(body);
			else body.then(answer).catch((error) => this.fail(failureOf(error)));
		} catch (error) {
			this.fail(failureOf(error));
		}
	}

	onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
		if (this.#isOver) return;
		this.#controller = undefined;
		// If no byte of the call was sent, it may be sent over a new connection without being carried out twice.
		const isFirst = !this.#isSent && !this.#isRepeated;
		this.#isRepeated = true;
		if (error instanceof ConnectionGone && isFirst) void this.#open();
		else this.fail(failureOf(error));
	}

	async #open(): Promise<void> {
		this.#opening = new AbortController();
		try {
			const connection = await this.#options.target.open(this.#opening.signal);
			this.#opening = undefined;
			if (this.#isOver) connection.close();
			else this.#send(connection);
		} catch (error) {
			this.fail(failureOf(error));
		}
	}

	#send(connection: Connection): void {
		this.#connection = connection;
		connection.dispatch(this.#options.request, this);
	}

	#finish(error: ServiceError | undefined, answer?: OutboundAnswer): void {
		if (this.#isOver) return;
		this.#isOver = true;
		clearTimeout(this.#timer);
		this.#options.budget.give(this.#body.length);
		// The bytes of the body are dropped only if the call failed. If there is an answer, they are still needed for it.
		if (answer === undefined && this.#controller !== undefined) this.#body.drop();
		const failure = error && this.#isSent ? afterSending(error, this.#connection!.hasAnswered) : error;
		this.#options.onEnd(failure, answer);
	}
}
