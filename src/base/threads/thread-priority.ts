import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * A thread with this nice value gets about a tenth of the processor time of a normal thread when both want the same
 * core.
 */
const NICE = 10;

/**
 * Lowers the priority of the thread that calls it, so that threads that answer requests need not wait for a core. Only
 * Linux has a priority for each thread. On other systems, and where there is no `/proc`, nothing changes.
 */
export function giveWay(): void {
	try {
		// `/proc/thread-self` is a symbolic link to `<process>/task/<thread>`, where `<thread>` is the id of the thread
		// that reads the link.
		const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
		if (Number.isSafeInteger(thread)) setPriority(thread, NICE);
	} catch {
		// If the priority cannot be lowered, the thread goes on at the usual one.
	}
}
