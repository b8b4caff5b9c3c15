// Calls to third parties. Nothing here follows a redirect, reads a proxy from the environment, or connects to an address
// that was not checked for this connection.

import { ServiceError } from '../errors.ts';
import { resolveTarget } from './addresses.ts';
import { ByteBudget } from './answer-body.ts';
import { Exchange, type OutboundAnswer } from './exchange.ts';
import { checkSendable } from './headers.ts';
import { failureOf } from './outbound-failure.ts';
import type { Lookup } from './system-lookup.ts';
import { Targets } from './targets.ts';
import type { TlsIdentity } from './tls-identity.ts';

export type { OutboundAnswer };

export interface OutboundCall {
	/** `http` or `https`, without user name and password. The fragment is not sent. */
	readonly url: URL;
	readonly method: string;
	/** Flat name, value pairs, as `outgoingHeaders` makes them; nothing that frames a message, `Host` included. */
	readonly headers: readonly string[];
	/** Sent whatever the method; null or empty: none. A GET with a body costs its connection. */
	readonly body: Buffer | null;
	/** By `performance.now()`. Resolving, connecting, TLS, sending, the answer and unpacking it all fall before. */
	readonly deadlineAt: number;
	/** Counted both as it comes and unpacked. */
	readonly maxAnswerBytes: number;
	readonly tls?: TlsIdentity;
}

/**
 * `call` resolves with whatever the target answered, redirects and errors included, or rejects with a `ServiceError`:
 * `bad-input-data` (host not allowed, URL, header or client certificate of no use), `target-unreachable` (502),
 * `request-timed-out` (504: the outcome at the target is unknown), `too-many-calls` (503: nothing was sent). A request
 * of which a byte may have left is never sent again.
 */
export interface OutboundClient {
	call(call: OutboundCall): Promise<OutboundAnswer>;
	/**
	 * Says beforehand what a call would meet first: a host that cannot be resolved or is not allowed. The addresses of the
	 * connection are checked all the same. @throws ServiceError as `call` does
	 */
	checkHost(url: URL, deadlineAt: number): Promise<void>;
	readonly inFlight: number;
	/** Ends what is still under way as timed out; safe to call twice. */
	close(): Promise<void>;
}

export interface OutboundClientOptions {
	readonly allowPrivate: boolean;
	readonly maxInFlight: number;
	/** What the answers of all calls may hold together while they come in. */
	readonly maxHeldBytes?: number;
	readonly lookup?: Lookup;
}

const DEFAULT_MAX_HELD_BYTES = 268_435_456;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A client for all rooms to share; whoever opens it closes it. */
export function openOutboundClient(options: OutboundClientOptions): OutboundClient {
	const { maxInFlight, maxHeldBytes = DEFAULT_MAX_HELD_BYTES } = options;
	const targets = new Targets({ allowPrivate: options.allowPrivate, lookup: options.lookup });
	const budget = new ByteBudget(maxHeldBytes);
	const underWay = new Set<Exchange>();
	let isClosed = false;

	function start(call: OutboundCall, resolve: (answer: OutboundAnswer) => void, reject: (error: Error) => void): void {
		checkCall(call);
		const now = performance.now();
		if (call.deadlineAt <= now) throw new ServiceError('request-timed-out');
		if (isClosed || underWay.size >= maxInFlight) throw new ServiceError('too-many-calls');
		const { url, method, headers, body, deadlineAt, maxAnswerBytes, tls } = call;
		const exchange: Exchange = new Exchange({
			target: targets.of(url, tls),
			request: { path: url.pathname + url.search, method, headers: headers as string[], body },
			deadlineAt,
			maxAnswerBytes,
			budget,
			onEnd: (error, answer) => {
				underWay.delete(exchange);
				if (error === undefined) resolve(answer!);
				else reject(error);
			},
		});
		underWay.add(exchange);
		exchange.start(now);
	}

	return {
		// What `start` throws rejects the promise.
		call: (call) => new Promise((resolve, reject) => start(call, resolve, reject)),
		async checkHost({ hostname }, deadlineAt) {
			const remainingMs = Math.max(0, Math.ceil(deadlineAt - performance.now()));
			const signal = AbortSignal.timeout(remainingMs);
			await resolveTarget(hostname, { allowPrivate: options.allowPrivate, lookup: options.lookup, signal }).catch(
				(error) => {
					throw signal.aborted ? new ServiceError('request-timed-out') : failureOf(error);
				},
			);
		},
		get inFlight() {
			return underWay.size;
		},
		async close() {
			isClosed = true;
			for (const exchange of underWay) exchange.fail(new ServiceError('request-timed-out'));
			targets.close();
		},
	};
}

function checkCall({ url, method, headers }: OutboundCall): void {
	if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('targetUri: must begin with https or http');
	if (url.username !== '' || url.password !== '') throw refused('targetUri: must not hold a user name or password');
	if (!METHODS.has(method)) throw refused('httpMethod: must be one of the allowed methods');
	checkSendable(headers);
}

function refused(moreInfo: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo });
}
