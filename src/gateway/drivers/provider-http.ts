// How the libraries of providers reach them. Their own transports repeat requests, follow redirects, wait for silence
// rather than for an end, and show notices of the server; this one sends once, by the deadline, and tells one thing
// theirs do not: whether anything was sent at all.

import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** What every request of one operation keeps to. */
export interface ProviderLimits {
	/** Where requests go, whatever address the library has for them. */
	readonly base: URL;
	/** By `performance.now()`. */
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
	/** Valid JSON, and undefined for an empty body. */
	readonly text: string | undefined;
}

/** No connection was made: the provider knows nothing of the request. */
export class NotSentError extends Error {
	override readonly name = 'NotSentError';
}

/** The request may have arrived, and no answer came that can be read. */
class NoAnswerError extends Error {
	override readonly name = 'NoAnswerError';
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Sends a request over a connection of its own: on one that is kept, a provider's closing it is not to be told from a
 * request that got lost. @throws NotSentError, NoAnswerError; neither holds anything of request or answer
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
	// For good: a second error that nobody listens to would end the process.
	request.on('error', fail);
	// Of a request that was answered the end of the answer decides: this one may come before it.
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
			const text = Buffer.concat(pieces).toString('utf8');
			if (!response.complete || !isJsonOrEmpty(text)) return fail();
			resolve({ status: response.statusCode!, headers: response.headers, text: text || undefined });
		});
	});
	request.end(call.body);
	return promise.finally(() => clearTimeout(timer));
}

/** Handed anything else, one library writes what it got on the terminal. */
function isJsonOrEmpty(text: string): boolean {
	if (text === '') return true;
	try {
		return typeof JSON.parse(text) === 'object';
	} catch {
		return false;
	}
}

/** An address of a library's own put under a base address: `https://api.example/v1/x` under `http://proxy/a` is `http://proxy/a/v1/x`. */
export function rebased(base: URL, path: string): URL {
	return new URL(base.pathname.replace(/\/$/, '') + path, base);
}
