// Calls to third parties. Nothing here follows a redirect, reads a proxy from the environment, or connects to an address
// that was not checked for this connection.

import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import { ByteBudget } from './answer-body.ts';
import type { OutboundAnswer } from './exchange.ts';
import { checkSent, Passage, type SentCall } from './passage.ts';
import { type PlaceLimits, Places } from './places.ts';
import type { Lookup } from './system-lookup.ts';
import { Targets } from './targets.ts';
import type { TlsIdentity } from './tls-identity.ts';

export type { OutboundAnswer };

export interface OutboundTarget {
	/** `http` or `https`, without user name and password. */
	readonly url: URL;
	readonly tls?: TlsIdentity;
	/** By `performance.now()`. Resolving, connecting, TLS, sending, the answer and unpacking it all fall before. */
	readonly deadlineAt: number;
	/** Whose share of the places the call counts to; to the whole alone without. */
	readonly account?: AccountId;
}

export type OutboundCall = SentCall & OutboundTarget;

/** A place and a checked way to a target, for one call. Whoever does not send gives it up. */
export type OutboundPassage = Pick<Passage, 'send' | 'release'>;

/**
 * `call` resolves with whatever the target answered, redirects and errors included, or rejects with a `ServiceError`:
 * `bad-input-data` (host not allowed, URL, header or client certificate of no use), `target-unreachable` (502),
 * `request-timed-out` (504: the outcome at the target is unknown), `too-many-calls` and `too-many-calls-of-account` (503:
 * nothing was sent). A request of which a byte may have left is never sent again.
 */
export interface OutboundClient {
	call(call: OutboundCall): Promise<OutboundAnswer>;
	/**
	 * For what cannot be undone and comes before a call: takes a place, and finds out that the target may be called. Its
	 * host is looked up once, unless a connection waits; the call then goes to exactly those addresses. What can be refused
	 * without sending is refused here. @throws ServiceError as `call` does; then there is nothing to give up
	 */
	prepare(target: OutboundTarget): Promise<OutboundPassage>;
	/** Passages not given up and calls not ended. */
	readonly inFlight: number;
	/** Ends what is still under way as timed out and takes no more; safe to call twice. */
	close(): Promise<void>;
}

export interface OutboundClientOptions extends PlaceLimits {
	readonly allowPrivate: boolean;
	/** What the answers of all calls may hold together while they come in. */
	readonly maxHeldBytes?: number;
	readonly lookup?: Lookup;
}

/** With what is made of answers (`relay.bodyMemoryBytes`) 224 MiB. */
const DEFAULT_MAX_HELD_BYTES = 67_108_864;

/** A client for all rooms to share; whoever opens it closes it. */
export function openOutboundClient(options: OutboundClientOptions): OutboundClient {
	const { maxHeldBytes = DEFAULT_MAX_HELD_BYTES } = options;
	const targets = new Targets({ allowPrivate: options.allowPrivate, lookup: options.lookup });
	const budget = new ByteBudget(maxHeldBytes);
	const places = new Places(options);
	const underWay = new Set<Passage>();
	let isClosed = false;

	/** At once where a connection waits: nearly every call has one. */
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
		prepare: async (target) => begin(target),
		// Not async: every turn of the promises would be one more in every call.
		call(call) {
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
		get inFlight() {
			return places.taken;
		},
		async close() {
			isClosed = true;
			for (const passage of underWay) passage.fail(new ServiceError('request-timed-out'));
			targets.close();
		},
	};
}

function checkUrl(url: URL): void {
	if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('must begin with https or http');
	if (url.username !== '' || url.password !== '') throw refused('must not hold a user name or password');
}

function refused(problem: string): ServiceError {
	return new ServiceError('bad-input-data', { field: 'targetUri', problem });
}
