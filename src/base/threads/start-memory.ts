// Says when V8 collects the whole heap of a daemon, and frees what a thread needed only to start. V8 would keep that until the
// heap reaches its first limit, and Node for as long as the process lives.

import { Session } from 'node:inspector/promises';
import { flushCompileCache } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 count buffers as a part of the heap when it decides whether to collect all of it, in every thread of the process. By
 * itself it collects the whole heap for every 64 MB of buffers, also of short-lived ones. A daemon that has freed the garbage
 * of its start, and so has few buffers, would do so three times a second while a batch of cards comes.
 */
export function countBuffersInHeap(): void {
	setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/**
 * Frees the compiled code that Node holds for its cache on the disk, some 20 MB in the main thread. What the cache lacks is
 * written first; otherwise that would happen at the end of the process, and never if that is killed. A start does so as soon as
 * its code is loaded, so that what it then opens takes the place of that code, and again when the rest is loaded.
 */
export function freeCompiledCode(): void {
	flushCompileCache();
}

/**
 * Collects the garbage of the start and gives the pages that become free back to the system, some 45 MB in the main thread and 20
 * in a worker thread. The thread does nothing else for 0.1 s meanwhile, so it is done before it says that it is ready.
 */
export async function collectStartGarbage(): Promise<void> {
	const session = new Session();
	session.connect();
	await session.post('HeapProfiler.collectGarbage');
	// The thread would stand still for ever if the session ended within its own answer.
	await setImmediate();
	session.disconnect();
}
