// How long the thread of a test was kept from everything else. Counted in its own time on a processor: a machine on which
// other tests run makes every turn of the clock longer.

import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 1;

/** The longest time, in milliseconds, for which this thread worked without a turn for others while `work` ran. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
	const spent = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	// What was to be compiled or collected before is not of the work.
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
