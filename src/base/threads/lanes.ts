/**
 * Returns a function that waits for one of `count` lanes, and resolves to one that gives it back. Whoever has waited longest
 * gets the next lane.
 */
export function openLanes(count: number): () => Promise<() => void> {
	let free = count;
	const waiting: (() => void)[] = [];
	return async () => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		return () => {
			const next = waiting.shift();
			if (next === undefined) free++;
			else next();
		};
	};
}
