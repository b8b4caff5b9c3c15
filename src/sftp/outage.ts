// While nobody can be looked up, because the database is away, clients are told before they log in: a refusal says nothing, and
// would send everybody to look for a wrong key.

import type { Connection as Client } from 'ssh2';
import type { Clock } from '../clock.ts';

const TEXT = 'temporarily unavailable: try again later\r\n';
/** How long after a login that could not be decided. */
const ANNOUNCED_MS = 60_000;

export class Outage {
	readonly #clock: Clock;
	#untilMs = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** A login could not be decided; says whether that is news. */
	begin(): boolean {
		const isNews = !this.isUnderWay;
		this.#untilMs = this.#clock.now().getTime() + ANNOUNCED_MS;
		return isNews;
	}

	/** A login could be decided. */
	end(): void {
		this.#untilMs = 0;
	}

	get isUnderWay(): boolean {
		return this.#clock.now().getTime() < this.#untilMs;
	}

	/** Clients show it above the question for a password; those that cannot ignore it (RFC 4252 §5.4). */
	announce(client: Client): void {
		if (!this.isUnderWay) return;
		// ssh2 takes a banner for all connections of a server; this is where it keeps that of one until it is sent.
		const { _protocol: protocol } = client as unknown as { _protocol?: { _banner?: string } };
		if (protocol) protocol._banner = TEXT;
	}
}
