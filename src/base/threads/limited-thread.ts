import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The old generation is first collected when it has this size. A thread that has just started has 30 MB, and what a file leaves
 * comes on top of that.
 */
const FIRST_OLD_GENERATION_MB = 40;

/**
 * Starts a thread whose heap keeps to `limits`. The daemon is started with sizes for the heap of its main thread, and V8 takes
 * those flags for every later thread too, whatever the limits of the thread say. So they are changed first; the main thread
 * keeps its sizes.
 */
export function startLimitedThread(
	file: URL,
	limits: ResourceLimits,
	options: Omit<WorkerOptions, 'resourceLimits'> = {},
): Worker {
	setFlagsFromString('--max-semi-space-size=0');
	setFlagsFromString(`--initial-old-space-size=${FIRST_OLD_GENERATION_MB}`);
	return new Worker(file, { ...options, resourceLimits: limits });
}
