/**
 * Runs operations one after the other, in the order in which they were passed to `run`. If an operation fails, the next
 * one still runs.
 */
export class Turns {
	#last: Promise<unknown> = Promise.resolve();

	/** Runs `operation` after all earlier ones and returns its result. */
	run<Result>(operation: () => Promise<Result> | Result): Promise<Result> {
		const turn = this.#last.then(operation);
		this.#last = turn.then(nothing, nothing);
		return turn;
	}

	/** Waits for all earlier operations, and holds up later ones until the returned function is called. */
	async take(): Promise<() => void> {
		const turn = Promise.withResolvers<void>();
		const before = this.#last;
		this.#last = before.then(() => turn.promise);
		await before;
		return turn.resolve;
	}

	/** A promise that settles when every operation passed to `run` so far has ended. It never rejects. */
	get ended(): Promise<unknown> {
		return this.#last;
	}
}

function nothing(): void {}
