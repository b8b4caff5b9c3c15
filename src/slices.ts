// Long work in the thread of a door, slice by slice: between two slices, whoever waits for the thread has a turn.

/** A slice this short is not worth a turn for others. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];
let isScheduled = false;

/** One slice of all long work in a turn of the event loop: many of them together hold up others no longer than one. */
function schedule(): void {
	if (isScheduled || waiting.length === 0) return;
	isScheduled = true;
	setImmediate(() => {
		isScheduled = false;
		waiting.shift()!();
		schedule();
	});
}

/** Settles when it is the caller's turn again. */
function nextTurn(): Promise<void> {
	return new Promise((resolve) => {
		waiting.push(resolve);
		schedule();
	});
}

/** The slices of one piece of work. */
export class Slices {
	#startedAt = performance.now();

	/** To be awaited between two steps that take a few milliseconds at most: gives way once they add up to a slice. */
	giveWay(): Promise<void> | undefined {
		if (performance.now() - this.#startedAt < SLICE_MS) return undefined;
		return nextTurn().then(() => {
			this.#startedAt = performance.now();
		});
	}
}
