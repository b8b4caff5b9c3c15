// What a process has used so far, read from Linux' /proc.

import { readFileSync } from 'node:fs';

/** Clock ticks of a second, which Linux fixes for programs at 100. */
const TICKS_PER_SECOND = 100;

export interface ProcessUsage {
	/** Of all its threads, in user and in system mode. */
	readonly processorSeconds: number;
	/** The most memory it has had resident, in MB of 1,000,000 bytes. */
	readonly peakMb: number;
}

/** Reads the usage of a running process. */
export function readProcess(pid: number): ProcessUsage {
	// The second field is the program's name in brackets and may contain blanks.
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
	const ticks = Number(fields[11]) + Number(fields[12]);
	const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
	return { processorSeconds: ticks / TICKS_PER_SECOND, peakMb: (Number(peak?.[1] ?? 0) * 1024) / 1e6 };
}
