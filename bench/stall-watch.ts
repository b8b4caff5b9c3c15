// Watches how long the main thread of the daemon is kept from its work. The daemon loads this module before anything else;
// at each SIGUSR2 it writes what it saw to the file in STALLS_FILE, and begins anew.

import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** How long the main thread was held up by one hostile input. */
export interface Stalls {
	/** The 99.9th percentile by the clock, in milliseconds, which includes what other processes take of the machine. */
	readonly p999Ms: number;
	readonly longestMs: number;
	/** The longest turn by the thread's own time on a processor. */
	readonly longestTurnMs: number;
}

const RESOLUTION_MS = 1;
const { STALLS_FILE: file } = process.env;

if (isMainThread && file !== undefined) {
	const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
	const spentMs = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	let longestTurnMs = 0;
	let before = spentMs();
	const look = () => {
		const now = spentMs();
		longestTurnMs = Math.max(longestTurnMs, now - before);
		before = now;
	};
	setInterval(look, RESOLUTION_MS).unref();
	delays.enable();
	process.on('SIGUSR2', () => {
		look();
		const longestMs = delays.max / 1e6;
		const seen: Stalls = { p999Ms: delays.percentile(99.9) / 1e6, longestMs, longestTurnMs };
		// Another process reads the file, so it has to appear as a whole or not at all.
		writeFileSync(`${file}.new`, JSON.stringify(seen));
		renameSync(`${file}.new`, file);
		delays.reset();
		longestTurnMs = 0;
		before = spentMs();
	});
}
