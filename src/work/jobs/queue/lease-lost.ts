import type { JobRow } from '../job.ts';

/**
 * This error is thrown if a job no longer belongs to an attempt that is about to end it, because its lease ran out or
 * another attempt ended the job. Nothing was published.
 */
export class LeaseLostError extends Error {
	override readonly name = 'LeaseLostError';
	constructor(job: JobRow) {
		super(`job ${job.id} is no longer this daemon's`);
	}
}
