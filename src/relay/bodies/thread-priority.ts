import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A tenth of the share that a thread of usual priority gets where both want the same core. */
const NICE = 10;

/**
 * Lowers the priority of the thread that calls it, so that threads that answer requests need not wait for a core. Only Linux
 * has priorities of threads. Elsewhere, and where there is no `/proc`, nothing changes.
 */
export function giveWay(): void {
	try {
		// `<process>/task/<thread>`: read by the thread itself, so that it names this one.
		const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
		if (Number.isSafeInteger(thread)) setPriority(thread, NICE);
	} catch {
		// It works at the usual priority.
	}
}
