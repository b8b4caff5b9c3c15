// Defines a passage: the slot and the connection or checked addresses that a call holds before it is sent. Between
// taking the passage and sending the call, a caller does the steps that cannot be undone, because the target is then
// known to be callable.

import { badInput, ServiceError } from '../errors.ts';
import type { ByteBudget } from './answer-body.ts';
import type { Connection } from './connection.ts';
import { Exchange, type OutboundAnswer, type Way } from './exchange.ts';
import { checkSendable } from './headers.ts';
import { failureOf } from './outbound-failure.ts';
import type { CheckedAddresses, Target } from './target.ts';

export interface SentCall {
	/** The URL to call. Its origin must be the one for which the passage was taken; its fragment is not sent. */
	readonly url: URL;
	readonly method: string;
	/**
	 * The headers as flat name, value pairs, as `outgoingHeaders` returns them, without `Host` and other headers that
	 * frame a message.
	 */
	readonly headers: readonly string[];
	/**
	 * The body, which is sent whatever the method is; null or empty means no body. After a GET with a body, the
	 * connection is closed and not used for another call.
	 */
	readonly body: Buffer | null;
	/** The answer may have this many bytes, both as it arrives and after decompression. */
	readonly maxAnswerBytes: number;
	/** True if the answer is wanted as it came: with all its headers, and not decompressed. It may not be passed on. */
	readonly isRaw?: boolean;
}

export interface PassageOptions {
	readonly target: Target;
	readonly url: URL;
	readonly deadlineAt: number;
	readonly budget: ByteBudget;
	/** This function is called once, when the slot of the passage is free again. */
	readonly onOver: (passage: Passage) => void;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Prepares and sends one call. It either holds an idle connection, which no other call can use meanwhile, or the
 * addresses that a lookup for this call found.
 */
export class Passage implements Way {
	readonly #options: PassageOptions;
	#waiting: Connection | undefined;
	#addresses: CheckedAddresses | undefined;
	#resolving: AbortController | undefined;
	#exchange: Exchange | undefined;
	#isOver = false;

	constructor(options: PassageOptions) {
		this.#options = options;
	}

	/** Takes an idle connection; returns false if there is none. */
	wait(now: number): boolean {
		this.#waiting = this.#options.target.take(now);
		return this.#waiting !== undefined;
	}

	/**
	 * Resolves the addresses of the target. This method is called if no connection is idle.
	 * @throws ServiceError, after which the passage is over
	 */
	async resolve(now: number): Promise<this> {
		const { target, deadlineAt } = this.#options;
		this.#resolving = new AbortController();
		const timer = setTimeout(() => this.fail(new ServiceError('request-timed-out')), Math.max(1, deadlineAt - now));
		try {
			this.#addresses = await target.resolve(this.#resolving.signal);
			this.#resolving.signal.throwIfAborted();
			return this;
		} catch (error) {
			this.release();
			throw failureOf(error);
		} finally {
			clearTimeout(timer);
			this.#resolving = undefined;
		}
	}

	/** Sends a call, once. It rejects as `OutboundClient.call` does; in any case the passage is over afterwards. */
	async send(call: SentCall): Promise<OutboundAnswer> {
		try {
			checkSent(call);
		} catch (error) {
			this.release();
			throw error;
		}
		return this.sendChecked(call);
	}

	/**
	 * Sends a call as `send` does, but does not check its method and headers, because the caller has already checked
	 * them.
	 */
	sendChecked(call: SentCall): Promise<OutboundAnswer> {
		return new Promise((resolve, reject) => {
			const { url: prepared, deadlineAt, budget } = this.#options;
			const { url, method, headers, body, maxAnswerBytes, isRaw = false } = call;
			// Usually both are the same URL object. This is checked first, because computing an origin costs as much as the
			// rest of this function.
			const isElsewhere = url !== prepared && url.origin !== prepared.origin;
			if (isElsewhere || this.#exchange !== undefined) throw new Error('internal error: not its passage');
			try {
				if (this.#isOver) throw new ServiceError('too-many-calls');
				const now = performance.now();
				if (deadlineAt <= now) throw new ServiceError('request-timed-out');
				this.#exchange = new Exchange({
					target: this,
					request: { path: url.pathname + url.search, method, headers: headers as string[], body },
					deadlineAt,
					maxAnswerBytes,
					isRaw,
					budget,
					onEnd: (error, answer) => {
						this.#end();
						if (error === undefined) resolve(answer!);
						else reject(error);
					},
				});
				this.#exchange.start(now);
			} catch (error) {
				this.release();
				throw error;
			}
		});
	}

	/** Releases the slot if nothing was sent; otherwise the end of the call releases it. */
	release(): void {
		if (this.#exchange !== undefined || this.#isOver) return;
		if (this.#waiting !== undefined) this.give(this.#waiting);
		this.#waiting = undefined;
		this.#end();
	}

	/** Ends the lookup or the call that is in progress. */
	fail(error: ServiceError): void {
		this.#exchange?.fail(error);
		this.#resolving?.abort(error);
		this.release();
	}

	/**
	 * Returns the connection that was reserved for this call if it is still open; otherwise any connection to the target
	 * that is idle now.
	 */
	take(now: number): Connection | undefined {
		const own = this.#waiting;
		this.#waiting = undefined;
		return own?.isOpen ? own : this.#options.target.take(now);
	}

	open(signal: AbortSignal): Promise<Connection> {
		const addresses = this.#addresses;
		this.#addresses = undefined;
		return this.#options.target.open(signal, addresses);
	}

	give(connection: Connection): void {
		this.#options.target.give(connection);
	}

	#end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#options.onOver(this);
	}
}

/**
 * Checks a method and headers.
 * @throws ServiceError for one that must not be sent
 */
export function checkSent({ method, headers }: Pick<SentCall, 'method' | 'headers'>): void {
	if (!METHODS.has(method)) {
		throw badInput('httpMethod', 'must be one of the allowed methods');
	}
	checkSendable(headers);
}
