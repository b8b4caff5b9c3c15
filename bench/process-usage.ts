// Reads what a process has used so far from Linux's /proc.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The clock ticks of a second, which Linux fixes for programs at 100. */
const TICKS_PER_SECOND = 100;
/** What is written to /proc/PID/clear_refs so that Linux forgets the highest memory so far. */
const FORGET_PEAK = '5';
const LOOK_EVERY_MS = 100;

export interface ProcessUsage {
	/** The processor time of all its threads, in user and in system mode. */
	readonly processorSeconds: number;
	/** The most memory it has had resident, in MB of 1,000,000 bytes. */
	readonly peakMb: number;
}

/** Reads the usage of a running process. */
export function readProcess(pid: number): ProcessUsage {
	const fields = statOf(pid);
	const ticks = Number(fields[11]) + Number(fields[12]);
	return { processorSeconds: ticks / TICKS_PER_SECOND, peakMb: statusMb(pid, 'VmHWM') };
}

/** Returns the memory that a running process has resident now, in MB of 1,000,000 bytes. */
export function residentMb(pid: number): number {
	return statusMb(pid, 'VmRSS');
}

/** Returns a line of /proc/PID/status, which has kilobytes of 1,024 bytes, in MB of 1,000,000 bytes. */
function statusMb(pid: number, line: 'VmHWM' | 'VmRSS'): number {
	const found = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
	return (Number(found?.[1] ?? 0) * 1024) / 1e6;
}

/** Forgets the highest memory of the process so far, so that only what follows counts. */
export function forgetPeak(pid: number): void {
	writeFileSync(`/proc/${pid}/clear_refs`, FORGET_PEAK);
}

/**
 * Returns the most memory that a process and its descendants have at once while `work` goes on. Shared memory counts once.
 */
export async function familyPeakMb(pid: number, work: () => Promise<unknown>): Promise<number> {
	let peak = 0;
	const watch = setInterval(() => {
		peak = Math.max(peak, familyMb(pid));
	}, LOOK_EVERY_MS);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return peak;
}

/** Returns the processor time, in seconds, of a process and its descendants that run now. */
export function readFamily(pid: number): number {
	return familyOf(pid).reduce((total, each) => total + (ifRunning(() => readProcess(each).processorSeconds) ?? 0), 0);
}

function familyOf(first: number): number[] {
	const children = Map.groupBy(everyProcess(), ({ parent }) => parent);
	const family = [first];
	for (const pid of family) family.push(...(children.get(pid) ?? []).map((child) => child.pid));
	return family;
}

function familyMb(first: number): number {
	return familyOf(first).reduce((total, pid) => total + ownMb(pid), 0);
}

function everyProcess(): { readonly pid: number; readonly parent: number }[] {
	const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	return pids.flatMap(
		(name) => ifRunning(() => [{ pid: Number(name), parent: Number(statOf(Number(name))[1]) }]) ?? [],
	);
}

function ownMb(pid: number): number {
	const text = ifRunning(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? '';
	return (Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024) / 1e6;
}

/** Returns what `read` returns, or undefined if the process has ended meanwhile. */
function ifRunning<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}

/** Returns the fields of /proc/PID/stat after the program's name, which is in brackets and may contain blanks. */
function statOf(pid: number): string[] {
	return readFileSync(`/proc/${pid}/stat`, 'utf8')
		.replace(/^.*\) /s, '')
		.split(' ');
}
