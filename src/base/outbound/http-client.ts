// Makes calls to third parties. It never follows a redirect, reads a proxy from the environment, or connects to an
// address that was not checked for this connection.

import type { AccountId } from '../database/ids.ts';
import { badInput, ServiceError } from '../errors.ts';
import { ByteBudget } from './answer-body.ts';
import type { OutboundAnswer } from './exchange.ts';
import { checkSent, Passage, type SentCall } from './passage.ts';
import { type PlaceLimits, Places } from './places.ts';
import type { Lookup } from './system-lookup.ts';
import { Target, type TargetOptions } from './target.ts';
import { identityName, type TlsIdentity } from './tls-identity.ts';

export type { OutboundAnswer };

export interface OutboundTarget {
	/** The URL of the call: `http` or `https`, without user name and password. */
	readonly url: URL;
	readonly tls?: TlsIdentity;
	/**
	 * The deadline as a time of `performance.now()`. Resolving, connecting, TLS, sending, the answer and its
	 * decompression must all be done before it.
	 */
	readonly deadlineAt: number;
	/** The account whose limit applies to the call; if it is absent, only the overall limit applies. */
	readonly account?: AccountId;
}

export type OutboundCall = SentCall & OutboundTarget;

/**
 * Holds a reserved slot for one call, and a connection or checked addresses for it. A caller that does not send must
 * release it.
 */
export type OutboundPassage = Pick<Passage, 'send' | 'release'>;

export interface OutboundClientOptions extends PlaceLimits {
	readonly allowPrivate: boolean;
	/** The answers of all calls together may use this many bytes while they arrive. */
	readonly maxHeldBytes?: number;
	readonly lookup?: Lookup;
}

/**
 * By default the answers may use 64 MiB; together with `relay.bodyMemoryBytes`, for reading the bodies of these
 * answers, that is 224 MiB.
 */
const DEFAULT_MAX_HELD_BYTES = 67_108_864;

/**
 * Makes calls. `call` resolves with whatever the target answered, including redirects and errors, or rejects with a
 * `ServiceError`: `bad-input-data` (the host is not allowed, or a URL, header or client certificate is invalid),
 * `target-unreachable` (502), `request-timed-out` (504: the outcome at the target is unknown), `too-many-calls` and
 * `too-many-calls-of-account` (503: nothing was sent). A request of which a byte may have been sent is never sent
 * again.
 */
export type OutboundClient = ReturnType<typeof openOutboundClient>;

/** Creates a client that all parts of the daemon share; the code that creates it must close it. */
export function openOutboundClient(options: OutboundClientOptions) {
	const { maxHeldBytes = DEFAULT_MAX_HELD_BYTES } = options;
	const targets = new Targets({ allowPrivate: options.allowPrivate, lookup: options.lookup });
	const budget = new ByteBudget(maxHeldBytes);
	const places = new Places(options);
	const underWay = new Set<Passage>();
	let isClosed = false;

	/** Prepares a call. It returns a promise only if no connection is idle, which is rare. */
	function begin({ url, tls, deadlineAt, account }: OutboundTarget): Passage | Promise<Passage> {
		checkUrl(url);
		const now = performance.now();
		if (deadlineAt <= now) throw new ServiceError('request-timed-out');
		if (isClosed) throw new ServiceError('too-many-calls');
		places.take(account);
		const onOver = (passage: Passage) => {
			underWay.delete(passage);
			places.give(account);
		};
		let target: ReturnType<Targets['of']>;
		try {
			target = targets.of(url, tls);
		} catch (error) {
			places.give(account);
			throw error;
		}
		const passage = new Passage({ target, url, deadlineAt, budget, onOver });
		underWay.add(passage);
		return passage.wait(now) ? passage : passage.resolve(now);
	}

	return {
		/**
		 * Prepares a call without sending it. It reserves a slot and finds out whether the target may be called. Unless a
		 * connection is idle, the host is looked up once, and the call then goes to exactly those addresses. Everything that
		 * can be refused before sending is refused by this method, so that the caller can then do what cannot be undone.
		 * @throws ServiceError as `call` does; then there is nothing to release
		 */
		prepare: async (target: OutboundTarget) => begin(target),
		// This function is not async, because then every call would wait for an additional turn of the promise queue.
		call(call: OutboundCall): Promise<OutboundAnswer> {
			try {
				checkSent(call);
				const passage = begin(call);
				return passage instanceof Passage
					? passage.sendChecked(call)
					: passage.then((ready) => ready.sendChecked(call));
			} catch (error) {
				return Promise.reject(error);
			}
		},
		/** The number of passages not released, plus the number of calls not ended. */
		get inFlight() {
			return places.taken;
		},
		/** Ends everything in progress as timed out and accepts no more calls. It may be called twice. */
		async close(): Promise<void> {
			isClosed = true;
			for (const passage of underWay) passage.fail(new ServiceError('request-timed-out'));
			targets.close();
		},
	};
}

function checkUrl(url: URL): void {
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		throw badInput('targetUri', 'must begin with https or http');
	if (url.username !== '' || url.password !== '') throw badInput('targetUri', 'must not hold a user name or password');
}

const MAX_TARGETS = 256;
const MAX_UNUSED_MS = 60_000;
const SWEEP_MS = 15_000;

/**
 * Keeps the targets that were used recently. Their number is limited, so that a caller who names a new host in every
 * call does not fill the memory.
 */
export class Targets {
	readonly #targets = new Map<string, Target>();
	readonly #options: Pick<TargetOptions, 'allowPrivate' | 'lookup'>;
	readonly #sweep: NodeJS.Timeout;

	constructor(options: Pick<TargetOptions, 'allowPrivate' | 'lookup'>) {
		this.#options = options;
		this.#sweep = setInterval(() => this.#closeUnused(), SWEEP_MS).unref();
	}

	get size(): number {
		return this.#targets.size;
	}

	/**
	 * Returns the target for a URL that is called with an identity.
	 * @throws `bad-input-data` if the identity cannot be loaded.
	 */
	of(url: URL, identity: TlsIdentity | undefined): Target {
		const { protocol, host } = url;
		const isTls = protocol === 'https:';
		const key = isTls ? `${identityName(identity)}s ${host}` : host;
		let target = this.#targets.get(key);
		if (target === undefined) {
			const name = url.hostname.replace(/^\[|\]$|\.$/g, '');
			target = new Target({ ...this.#options, isTls, host: name, port: url.port, identity });
			if (this.#targets.size >= MAX_TARGETS) this.#closeOldest();
			this.#targets.set(key, target);
		}
		return target;
	}

	close(): void {
		clearInterval(this.#sweep);
		for (const target of this.#targets.values()) target.close();
		this.#targets.clear();
	}

	#closeUnused(): void {
		const limit = performance.now() - MAX_UNUSED_MS;
		for (const [key, target] of this.#targets) if (target.usedAt < limit && !target.isBusy) this.#drop(key, target);
	}

	#closeOldest(): void {
		const [first, ...rest] = this.#targets;
		this.#drop(...rest.reduce((oldest, entry) => (entry[1].usedAt < oldest[1].usedAt ? entry : oldest), first));
	}

	#drop(key: string, target: Target): void {
		this.#targets.delete(key);
		target.close();
	}
}
