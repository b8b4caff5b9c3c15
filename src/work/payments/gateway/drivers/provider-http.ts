// Sends the requests of providers' libraries. The libraries' own transports repeat requests, follow redirects, have no
// overall deadline, and print notices of the server. This transport sends once, by the deadline, and also reports
// whether anything was sent at all.

import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { readJson } from '../../../../base/read-json.ts';

export interface ProviderLimits {
	/** Requests go to this URL, whatever URL the library uses. */
	readonly base: URL;
	/** The deadline, as a time of `performance.now()`. */
	readonly deadlineAt: number;
	readonly signal: AbortSignal;
}

export interface ProviderRequest extends Omit<ProviderLimits, 'base'> {
	readonly url: URL;
	readonly method: string;
	readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
	readonly body: string | Buffer;
}

export interface ProviderAnswer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** The body of the answer, which is valid JSON; undefined if it is empty. */
	readonly text: string | undefined;
}

/** This error is thrown if no connection could be made, so the provider has received nothing of the request. */
export class NotSentError extends Error {
	override readonly name = 'NotSentError';
}

/** This error is thrown if the request may have arrived, but there is no readable answer. */
class NoAnswerError extends Error {
	override readonly name = 'NoAnswerError';
}

/** Answers to payments have a few kilobytes. One of this size is read in some 10 ms, whatever it holds. */
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Sends a request over a connection of its own. If the server closed a connection that is used again, nobody could tell
 * whether it closed it as usual or lost the request.
 * @throws NotSentError, NoAnswerError; neither contains anything of the request or answer
 */
export async function callProvider(call: ProviderRequest): Promise<ProviderAnswer> {
	const { url, method, headers, deadlineAt } = call;
	const { promise, resolve, reject } = Promise.withResolvers<ProviderAnswer>();
	let isSent = false;
	let isAnswered = false;
	const fail = () => reject(isSent ? new NoAnswerError('no answer') : new NotSentError('no connection'));
	if (call.signal.aborted || deadlineAt <= performance.now()) throw new NotSentError('no time left');
	const request = (url.protocol === 'http:' ? requestHttp : requestHttps)(url, {
		method,
		headers: { ...headers, 'accept-encoding': 'identity' } as Record<string, string>,
		agent: false,
		signal: call.signal,
	});
	const timer = setTimeout(() => request.destroy(), deadlineAt - performance.now());
	request.once('socket', (socket) => {
		socket.once(url.protocol === 'http:' ? 'connect' : 'secureConnect', () => (isSent = true));
	});
	// The listener is never removed, because a second error without a listener would end the process.
	request.on('error', fail);
	// Once an answer has begun, the `close` of the request is ignored, because it may come before the end of the answer.
	request.once('close', () => !isAnswered && fail());
	request.once('response', (response) => {
		isAnswered = true;
		const pieces: Buffer[] = [];
		let length = 0;
		response.on('data', (piece: Buffer) => {
			pieces.push(piece);
			if ((length += piece.length) > MAX_ANSWER_BYTES) request.destroy();
		});
		response.on('error', fail);
		response.once('close', () => {
			// The rest of an answer may have arrived already when it is found to be too long.
			if (length > MAX_ANSWER_BYTES) return fail();
			const text = Buffer.concat(pieces).toString('utf8');
			if (!response.complete || !isJsonOrEmpty(text)) return fail();
			resolve({ status: response.statusCode!, headers: response.headers, text: text || undefined });
		});
	});
	request.end(call.body);
	return promise.finally(() => clearTimeout(timer));
}

/** Tells whether a text is JSON or empty, because one library prints anything else that it gets on the terminal. */
function isJsonOrEmpty(text: string): boolean {
	return text === '' || typeof readJson(text) === 'object';
}

/**
 * Puts the path of a library's own URL under a base URL: `https://api.example/v1/x` under `http://proxy/a` becomes
 * `http://proxy/a/v1/x`.
 */
export function rebased(base: URL, path: string): URL {
	return new URL(base.pathname.replace(/\/$/, '') + path, base);
}
