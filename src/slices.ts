// Divides long work in the thread of a listener into slices, so that other requests run between two slices.

/** The least duration of a slice in milliseconds. Work that took less time since its last pause does not pause. */
const SLICE_MS = 5;

const waiting: (() => void)[] = [];
let isScheduled = false;

/**
 * Runs the waiting slices, one in each turn of the event loop, so that other requests never wait for more than one
 * slice.
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

/** Divides one piece of work into slices, each as long as the work may block other requests. */
export class Slices {
	#startedAt = performance.now();

	/**
	 * Pauses if the work since the last pause has lasted as long as a slice. Await it between two steps, each of which
	 * takes a few milliseconds at most.
	 */
	giveWay(): Promise<void> | undefined {
		if (performance.now() - this.#startedAt < SLICE_MS) return undefined;
		return nextTurn().then(() => {
			this.#startedAt = performance.now();
		});
	}
}
