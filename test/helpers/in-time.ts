import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Tells whether `work`, which waits only for timers of this process, ends before `ms` are over. A busy machine fires
 * timers late but in order, so that this does not change the result.
 */
export async function endsWithin(ms: number, work: () => Promise<unknown>): Promise<boolean> {
	return Promise.race([work().then(() => true), sleep(ms, false)]);
}
