// Loaded into the daemon before anything else: watches how long its main thread is kept from everything, and writes that to
// the file in STALLS_FILE at each SIGUSR2, then begins anew.

import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Of one hostile input. */
export interface Stalls {
	/** By the clock, in milliseconds: what other processes take of the machine is in it. */
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
		// Read by another process: whole or not at all.
		writeFileSync(`${file}.new`, JSON.stringify(seen));
		renameSync(`${file}.new`, file);
		delays.reset();
		longestTurnMs = 0;
		before = spentMs();
	});
}
