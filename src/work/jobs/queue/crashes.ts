// Decides what follows when an attempt at a job did not fail but ended because its process or thread died: by a crash,
// by `kill -9`, or by a power failure. Usually the file is not the cause, so such attempts are counted apart from failed
// ones. Only a file that was alone whenever the process died is blamed.

import type { JobError, JobRow } from '../job.ts';

/** A job fails after this many crashes at which no other job ran beside it. */
const MOST_ALONE = 3;

/**
 * After this many crashes at which other jobs ran too, a job is begun only while no other job runs in the daemon, and no
 * other is begun beside it. The next crash then shows whether its file is the cause.
 */
export const MOST_BESIDE = 2;

export const THREAD_GONE: JobError = { reason: 'worker-gone', message: 'the thread that processed it died' };

export type CrashCounts = Pick<JobRow, 'crashes' | 'crashes_alone'>;

/** This error is the failure of a job whose file ends every process that works on it. */
export class KillsWorkerError extends Error {
	override readonly name = 'KillsWorkerError';

	constructor() {
		super(`the process or thread died ${MOST_ALONE} times while it worked on this file and on no other`);
	}
}

/** Tells whether a job must run alone in its daemon. */
export function mustRunAlone({ crashes, crashes_alone }: CrashCounts): boolean {
	return crashes - crashes_alone >= MOST_BESIDE;
}

/** Tells whether a job has no further attempt because its file is the cause of its crashes. */
export function killsWorker({ crashes_alone }: CrashCounts): boolean {
	return crashes_alone >= MOST_ALONE;
}

/** Returns how many attempts at a job have failed or are under way; those that ended in a crash are left out. */
export function countedAttempts({ attempts, crashes }: Pick<JobRow, 'attempts' | 'crashes'>): number {
	return attempts - crashes;
}

/**
 * Returns the columns of a job after one more crash at the time `now`. After its first crash a job is tried again at
 * once, and later after growing waits. `isAlone` says that no other job ran that may have been the cause.
 */
export function afterCrash(job: CrashCounts, isAlone: boolean, now: number, waitMs = backoffMs) {
	const crashes = job.crashes + 1;
	const counts = { crashes, crashes_alone: job.crashes_alone + (isAlone ? 1 : 0) };
	const isAtOnce = crashes === 1 || killsWorker(counts);
	return { ...counts, next_run_at: isAtOnce ? now : now + waitMs(crashes - 1) };
}

const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60_000;

/** Returns the time to wait after this many attempts: 5 s, 20 s, 80 s, and then always five minutes. */
export function backoffMs(attempts: number): number {
	return Math.min(FIRST_BACKOFF_MS * 4 ** (attempts - 1), MAX_BACKOFF_MS);
}
