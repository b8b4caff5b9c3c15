// Limits the time of selectors in the main thread, where other work waits. Selectors check the time themselves, because
// no timer can fire while they run.

/** Thrown if selectors take longer than the main thread allows, so that a worker thread must do the work. */
export class OutOfPatience extends Error {
	override readonly name = 'OutOfPatience';
}

/** `checkPatience` reads the clock only once in this many calls. */
const LOOKS = 64;

let endsAt = Number.POSITIVE_INFINITY;
let left = LOOKS;

/** Runs synchronous work in which `checkPatience` throws once `ms` milliseconds are over. */
export function withPatience<Result>(ms: number, work: () => Result): Result {
	endsAt = performance.now() + ms;
	left = LOOKS;
	try {
		return work();
	} finally {
		endsAt = Number.POSITIVE_INFINITY;
	}
}

/**
 * Checks whether the time for the selectors is over, but reads the clock only once in `LOOKS` calls.
 * @throws OutOfPatience if it is over
 */
export function checkPatience(): void {
	if (--left > 0) return;
	left = LOOKS;
	if (performance.now() > endsAt) throw new OutOfPatience('the body takes too long to be read here');
}
