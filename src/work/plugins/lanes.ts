import { Turns } from '../../base/threads/turns.ts';

/**
 * Returns a function that waits for one of `count` lanes, and resolves to one that gives it back. The lane with the fewest who
 * hold it or wait for it is taken.
 */
export function openLanes(count: number): () => Promise<() => void> {
	const lanes = Array.from({ length: count }, () => ({ turns: new Turns(), taken: 0 }));
	return async () => {
		const lane = lanes.reduce((best, each) => (each.taken < best.taken ? each : best));
		lane.taken++;
		const giveBack = await lane.turns.take();
		return () => {
			lane.taken--;
			giveBack();
		};
	};
}
