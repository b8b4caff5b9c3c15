// Delivers events in one daemon. Events are in the database, and any number of daemons may deliver them. Each endpoint has
// a lane of its own, so that a receiver that hangs holds up nobody else.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log/log.ts';
import { type FailureLog, oncePerMinute } from '../../base/log/repeated.ts';
import { deliveryStore } from './delivery-store.ts';
import { type LaneParts, MAX_LANES, runLane } from './lane.ts';

export interface EventSenderOptions {
	readonly parts: LaneParts & { readonly clock: Clock };
	readonly logger: Logger;
	readonly pollMs?: number;
	readonly maySend?: () => boolean;
}

const POLL_MS = 1_000;

export class EventSender {
	readonly #options: EventSenderOptions;
	readonly #failures: FailureLog;
	readonly #lanes = new Map<string, Promise<void>>();
	readonly #closing = new AbortController();
	readonly #loop: Promise<void>;

	constructor(options: EventSenderOptions) {
		this.#options = options;
		this.#failures = oncePerMinute(options.logger);
		this.#loop = this.#watch();
	}

	/** Begins no more calls, and waits for those under way. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#loop;
		await Promise.all(this.#lanes.values());
	}

	async #watch(): Promise<void> {
		const { pollMs = POLL_MS, maySend = () => true } = this.#options;
		while (!this.#closing.signal.aborted) {
			try {
				if (maySend()) await this.#openLanes();
			} catch (error) {
				this.#failures.warn({ err: error }, 'the events that wait cannot be read');
			}
			await sleep(pollMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
		}
	}

	async #openLanes(): Promise<void> {
		const { parts } = this.#options;
		if (this.#lanes.size >= MAX_LANES) return;
		const now = parts.clock.now().getTime();
		for (const id of await deliveryStore(parts.database).listDueEndpoints(now, 2 * MAX_LANES)) {
			if (this.#lanes.size >= MAX_LANES) return;
			if (this.#lanes.has(id)) continue;
			const lane = runLane(parts, id, this.#closing.signal)
				.catch((error) => this.#failures.warn({ err: error, endpoint: id }, 'events could not be delivered'))
				.finally(() => this.#lanes.delete(id));
			this.#lanes.set(id, lane);
		}
	}
}
