// Limits the time of selectors if other work waits. They check the time themselves, because nothing else runs
// meanwhile.

/** This error is thrown if the work takes longer than is allowed here, so that it must be done in a thread. */
export class OutOfPatience extends Error {
	override readonly name = 'OutOfPatience';
}

/** The clock is read once in this many checks. */
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
 * Checks the time now and then.
 * @throws OutOfPatience
 */
export function checkPatience(): void {
	if (--left > 0) return;
	left = LOOKS;
	if (performance.now() > endsAt) throw new OutOfPatience('the body takes too long to be read here');
}
