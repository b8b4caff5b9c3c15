// How long selectors may take where others wait. They ask for themselves whether it is over: nothing else runs meanwhile.

/** The work takes longer than it may here; it is to be done where nobody waits. */
export class OutOfPatience extends Error {
	override readonly name = 'OutOfPatience';
}

/** Looks between two at the clock. */
const LOOKS = 64;

let endsAt = Number.POSITIVE_INFINITY;
let left = LOOKS;

/** Does work that never waits; within it `checkPatience` throws once `ms` are over. */
export function withPatience<Result>(ms: number, work: () => Result): Result {
	endsAt = performance.now() + ms;
	left = LOOKS;
	try {
		return work();
	} finally {
		endsAt = Number.POSITIVE_INFINITY;
	}
}

/** @throws OutOfPatience */
export function checkPatience(): void {
	if (--left > 0) return;
	left = LOOKS;
	if (performance.now() > endsAt) throw new OutOfPatience('the body takes too long to be read here');
}
