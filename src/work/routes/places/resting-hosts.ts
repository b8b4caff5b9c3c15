// Lets a host rest that did not answer, so that many routes to it do not wait for it one after the other. Other hosts are
// called meanwhile.

import type { Clock } from '../../../base/clock.ts';
import { LoginRefusedError } from '../../../base/outbound/sftp/sftp-failures.ts';
import { HostRestsError, isAboutHost } from '../runs/run-errors.ts';

const FIRST_REST_MS = 15_000;
const LONGEST_REST_MS = 5 * 60_000;

export class RestingHosts {
	readonly #clock: Clock;
	readonly #resting = new Map<string, { readonly failures: number; readonly untilMs: number }>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/**
	 * Calls a host unless it rests. A call that somebody waits for is made in any case.
	 * @throws HostRestsError, or the error of the call
	 */
	async calling<Result>(host: string, isAsked: boolean, call: () => Promise<Result>): Promise<Result> {
		const rest = this.#resting.get(host);
		const now = this.#clock.now().getTime();
		if (rest && !isAsked && rest.untilMs > now) throw new HostRestsError(rest.untilMs);
		// One call finds out whether the host is back. If all made it at once, they would take the places of runs to others.
		if (rest) this.#resting.set(host, { ...rest, untilMs: now + FIRST_REST_MS });
		try {
			const result = await call();
			this.#resting.delete(host);
			return result;
		} catch (error) {
			// A host that refuses a login answers.
			const isAway = isAboutHost(error) && !(error instanceof LoginRefusedError);
			if (isAway) this.#note(host, (rest?.failures ?? 0) + 1);
			else this.#resting.delete(host);
			throw error;
		}
	}

	#note(host: string, failures: number): void {
		const restMs = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
		this.#resting.set(host, { failures, untilMs: this.#clock.now().getTime() + restMs });
	}
}
