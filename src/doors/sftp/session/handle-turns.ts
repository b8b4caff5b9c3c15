import { Turns } from '../../../base/threads/turns.ts';

export class SessionEnded extends Error {
	override readonly name = 'SessionEnded';
}

/**
 * Keeps the operations on one handle in order. Clients send many requests before the first is answered; the operations run
 * one after the other, as they were requested. So a CLOSE sees every WRITE sent before it.
 */
export class HandleTurns {
	readonly #turns = new Turns();
	#isAbandoned = false;

	/**
	 * Runs `operation` after all operations that were requested before it.
	 * @throws SessionEnded if the handle was abandoned before its turn
	 */
	run<Result>(operation: () => Promise<Result>): Promise<Result> {
		return this.#turns.run(() => {
			if (this.#isAbandoned) throw new SessionEnded('session ended');
			return operation();
		});
	}

	/** Runs `release` after the operation that has begun, if any; operations that have not begun are dropped. */
	abandon(release: () => Promise<void>): Promise<void> {
		this.#isAbandoned = true;
		return this.#turns.run(release);
	}
}
