import type { JobRow } from './job.ts';

/**
 * This error is thrown if the job no longer belongs to this attempt, because its lease ran out or another attempt ended
 * it. Nothing was published.
 */
export class LeaseLostError extends Error {
	override readonly name = 'LeaseLostError';
	constructor(job: JobRow) {
		super(`job ${job.id} is no longer this daemon's`);
	}
}
