// Measures how long the work of a test keeps its thread from everything else. The time is the thread's own on a processor,
// because a machine on which other tests run makes every turn longer by the clock.

import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 1;
/** The limit that docs/limits.md sets for a turn; its aim is 20. */
export const MAX_TURN_MS = 50;

/**
 * Returns the longest turn of the best of three runs: a collection of the garbage of other tests, which share the
 * process, may fall into one of them.
 */
export async function bestTurn(work: () => Promise<unknown>): Promise<number> {
	let best = Number.POSITIVE_INFINITY;
	for (let run = 0; run < 3 && best >= MAX_TURN_MS; run++) best = Math.min(best, await longestTurn(work));
	return best;
}

/** Returns the longest time, in milliseconds, for which this thread worked without a turn for others while `work` ran. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
	const spent = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	// Waits a moment, so that compiling and collecting garbage that are still due are not measured as part of the work.
	await sleep(10);
	let longest = 0;
	let before = spent();
	const look = () => {
		const now = spent();
		longest = Math.max(longest, now - before);
		before = now;
	};
	const timer = setInterval(look, LOOK_MS);
	try {
		await work();
		look();
	} finally {
		clearInterval(timer);
	}
	return longest;
}
