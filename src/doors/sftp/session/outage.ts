// Shows clients a notice before they log in while accounts cannot be looked up, because the database is unavailable.
// Without the notice, people whose login is refused would look for a mistake in their keys.

import type { Connection as Client } from 'ssh2';
import type { Clock } from '../../../base/clock.ts';

const TEXT = 'temporarily unavailable: try again later\r\n';
/** The notice is shown for this long after the last login for which accounts could not be looked up. */
const ANNOUNCED_MS = 60_000;

export class Outage {
	readonly #clock: Clock;
	#untilMs = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Notes a login that could not be decided, because no account could be looked up; true if this begins an outage. */
	begin(): boolean {
		const isNews = !this.isUnderWay;
		this.#untilMs = this.#clock.now().getTime() + ANNOUNCED_MS;
		return isNews;
	}

	/** Notes a login that could be decided, which ends the outage. */
	end(): void {
		this.#untilMs = 0;
	}

	get isUnderWay(): boolean {
		return this.#clock.now().getTime() < this.#untilMs;
	}

	/** Clients show the notice above the question for a password, or ignore it if they cannot (RFC 4252 §5.4). */
	announce(client: Client): void {
		if (!this.isUnderWay) return;
		// ssh2 lets a server set a banner only for all of its connections. Each connection keeps its banner in the field
		// `_banner` until the banner is sent, so the notice is put there.
		const { _protocol: protocol } = client as unknown as { _protocol?: { _banner?: string } };
		if (protocol) protocol._banner = TEXT;
	}
}
