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
		if (rest && !isAsked && rest.untilMs > this.#clock.now().getTime()) throw new HostRestsError(rest.untilMs);
		try {
			const result = await call();
			this.#resting.delete(host);
			return result;
		} catch (error) {
			// A host that refuses a login answers.
			if (isAboutHost(error) && !(error instanceof LoginRefusedError)) this.#note(host, (rest?.failures ?? 0) + 1);
			throw error;
		}
	}

	#note(host: string, failures: number): void {
		const restMs = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
		this.#resting.set(host, { failures, untilMs: this.#clock.now().getTime() + restMs });
	}
}
