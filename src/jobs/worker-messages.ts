// What pool and worker thread say to each other.

import type { Progress } from '../transfer/report.ts';
import type { JobError, JobRow } from './job.ts';
import type { Settlement } from './settle.ts';

/** What a thread is started with. */
export interface WorkerStart {
	/** URL of a `RoomsModule`. */
	readonly roomsModule: string;
	/** What the module is given; must survive structured cloning. */
	readonly setup: unknown;
}

export type ToWorker = { readonly kind: 'run'; readonly job: JobRow } | { readonly kind: 'close' };

export type FromWorker =
	| { readonly kind: 'progress'; readonly progress: Progress }
	/** `isSpent`: the attempt met a bug, so the thread is to be closed. */
	| {
			readonly kind: 'settled';
			readonly state: Settlement['state'];
			readonly error?: JobError;
			readonly isSpent: boolean;
	  }
	/** Not even the failure could be written down; the job's lease will run out. */
	| { readonly kind: 'unsettled'; readonly error: unknown };
