import type { Route } from '../document/route.ts';

/** Returns how long a route waits after so many failures, of a file or of a run, before it tries again. */
export function retryWaitMs({ retry }: Pick<Route, 'retry'>, failures: number): number {
	return Math.min(retry.firstMs * 2 ** (failures - 1), retry.longestMs);
}
