// Divides long work in the thread of a listener into slices, so that other requests run between two slices.

/** A slice takes at least this many milliseconds; a shorter one does not pause. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * All long work together runs one slice in each turn of the event loop, so that other requests never wait for more than
 * one slice.
 */
function schedule(): void {
	if (isScheduled || waiting.length === 0) return;
	isScheduled = true;
	setImmediate(() => {
		isScheduled = false;
		waiting.shift()!();
		schedule();
	});
}

/** Resolves when the caller may run the next slice. */
function nextTurn(): Promise<void> {
	return new Promise((resolve) => {
		waiting.push(resolve);
		schedule();
	});
}

/** Keeps the slices of one piece of work, each as long as it may block other requests. */
export class Slices {
	#startedAt = performance.now();

	/** Await this between two steps that take a few milliseconds at most; it pauses once they add up to a slice. */
	giveWay(): Promise<void> | undefined {
		if (performance.now() - this.#startedAt < SLICE_MS) return undefined;
		return nextTurn().then(() => {
			this.#startedAt = performance.now();
		});
	}
}
