/**
 * Runs operations one after the other, in the order of the calls of `run`. An operation that fails does not keep the
 * next one from running.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();

	/** Runs `operation` after all earlier ones and returns its result. */
	run<Result>(operation: () => Promise<Result> | Result): Promise<Result> {
		const turn = this.#last.then(operation);
		this.#last = turn.then(nothing, nothing);
		return turn;
	}

	/** Settles when every operation passed to `run` so far has ended; never rejects. */
	get ended(): Promise<unknown> {
		return this.#last;
	}
}

function nothing(): void {}
