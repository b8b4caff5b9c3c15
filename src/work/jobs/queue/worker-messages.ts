// Defines the messages between the pool and a worker thread.

import type { JobId } from '../../../base/database/ids.ts';
import type { Progress } from '../../../engine/report.ts';
import type { JobError, JobRow } from '../job.ts';
import type { Settlement } from './settle.ts';

export interface WorkerStart {
	/** The URL of a module that is a `WorkerModule`. */
	readonly workerModule: string;
	/** The argument for `openWorkerParts`, which may hold only what structured cloning preserves. */
	readonly setup: unknown;
}

export type ToWorker = { readonly kind: 'run'; readonly job: JobRow } | { readonly kind: 'close' };

export type FromWorker =
	/** The thread has opened everything and can run attempts. */
	| { readonly kind: 'ready' }
	| { readonly kind: 'progress'; readonly jobId: JobId; readonly progress: Progress }
	/** The attempt has ended. `isSpent` means that it met a bug, so the thread must be closed. */
	| {
			readonly kind: 'settled';
			readonly jobId: JobId;
			readonly state: Settlement['state'];
			readonly error?: JobError;
			readonly isSpent: boolean;
	  }
	/** Neither the success nor the failure of the attempt could be recorded, so the job's lease will run out. */
	| { readonly kind: 'unsettled'; readonly jobId: JobId; readonly error: unknown };
