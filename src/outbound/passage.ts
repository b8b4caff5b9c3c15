// What a call holds before it is sent: its place, and a way to the target that was checked. Whoever has to do something
// first that cannot be undone does it in between, and knows by then that the target may be called.

import { ServiceError } from '../errors.ts';
import type { ByteBudget } from './answer-body.ts';
import type { Connection } from './connection.ts';
import { Exchange, type OutboundAnswer, type Way } from './exchange.ts';
import { checkSendable } from './headers.ts';
import { failureOf } from './outbound-failure.ts';
import type { CheckedAddresses, Target } from './target.ts';

export interface SentCall {
	/** Of the origin the passage was made for. The fragment is not sent. */
	readonly url: URL;
	readonly method: string;
	/** Flat name, value pairs, as `outgoingHeaders` makes them; nothing that frames a message, `Host` included. */
	readonly headers: readonly string[];
	/** Sent whatever the method; null or empty: none. A GET with a body costs its connection. */
	readonly body: Buffer | null;
	/** Counted both as it comes and unpacked. */
	readonly maxAnswerBytes: number;
}

export interface PassageOptions {
	readonly target: Target;
	readonly url: URL;
	readonly deadlineAt: number;
	readonly budget: ByteBudget;
	/** Called once: its place is free. */
	readonly onOver: (passage: Passage) => void;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** For one call. A connection that waited is its alone; addresses are those of a lookup made for it. */
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

	/** Takes a connection that waits; false where there is none. */
	wait(now: number): boolean {
		this.#waiting = this.#options.target.take(now);
		return this.#waiting !== undefined;
	}

	/** Asks for the addresses, where no connection waits. @throws ServiceError; then it is over */
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

	/** Sends a call, once. Rejects as `OutboundClient.call` does; however it ends, the passage is over. */
	async send(call: SentCall): Promise<OutboundAnswer> {
		try {
			checkSent(call);
		} catch (error) {
			this.release();
			throw error;
		}
		return this.sendChecked(call);
	}

	/** The same for a call that was checked. */
	sendChecked(call: SentCall): Promise<OutboundAnswer> {
		return new Promise((resolve, reject) => {
			const { url: prepared, deadlineAt, budget } = this.#options;
			const { url, method, headers, body, maxAnswerBytes } = call;
			// To ask an address for its origin costs as much as all the rest here.
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

	/** Gives the place back where nothing was sent; otherwise the end of the call does. */
	release(): void {
		if (this.#exchange !== undefined || this.#isOver) return;
		if (this.#waiting !== undefined) this.give(this.#waiting);
		this.#waiting = undefined;
		this.#end();
	}

	/** Ends what is under way: the lookup, or the call. */
	fail(error: ServiceError): void {
		this.#exchange?.fail(error);
		this.#resolving?.abort(error);
		this.release();
	}

	/** Another connection may have come free since the addresses were asked for. */
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

/** @throws ServiceError for what must not reach the wire */
export function checkSent({ method, headers }: Pick<SentCall, 'method' | 'headers'>): void {
	if (!METHODS.has(method)) {
		throw new ServiceError('bad-input-data', { field: 'httpMethod', problem: 'must be one of the allowed methods' });
	}
	checkSendable(headers);
}
