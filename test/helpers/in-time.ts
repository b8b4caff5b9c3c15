import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Whether `work`, which waits for timers of this process alone, ends before `ms` are over. A busy machine fires timers
 * late, but in their order, so that it does not change the answer.
 */
export async function endsWithin(ms: number, work: () => Promise<unknown>): Promise<boolean> {
	return Promise.race([work().then(() => true), sleep(ms, false)]);
}
