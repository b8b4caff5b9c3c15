// Divides long work in the thread of a listener into slices, so that other requests run between two slices.

/**
 * The least duration of a slice in milliseconds. Work that has run for a shorter time since its last pause goes on
 * without a pause.
 */
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

/**
 * Divides one long piece of work into slices of a few milliseconds, so that other requests can run after each slice.
 */
export class Slices {
	#startedAt = performance.now();

	/**
	 * Pauses if the work has run for the length of a slice since its last pause. The work awaits this between its steps,
	 * each of which takes a few milliseconds at most.
	 */
	giveWay(): Promise<void> | undefined {
		if (performance.now() - this.#startedAt < SLICE_MS) return undefined;
		return nextTurn().then(() => {
			this.#startedAt = performance.now();
		});
	}
}
