import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread whose heap keeps to `limits`. The daemon is started with a size for the young generation of its main
 * thread, and V8 takes that flag for every later thread too, whatever the limits of the thread say. So the flag is reset
 * first; the main thread keeps its size.
 */
export function startLimitedThread(
	file: URL,
	limits: ResourceLimits,
	options: Omit<WorkerOptions, 'resourceLimits'> = {},
): Worker {
	setFlagsFromString('--max-semi-space-size=0');
	return new Worker(file, { ...options, resourceLimits: limits });
}
