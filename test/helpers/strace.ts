// Watches the system calls of a process, or makes them fail, with strace.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from './ssh-clients.ts';

/** A call that a traced process made: its name, everything between its parentheses, and what it returned. */
export interface SystemCall {
	readonly name: string;
	readonly given: string;
	readonly returned: string;
}

const CALL = /^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)\) += (.+)$/;
const UNFINISHED = /^(\[pid +\d+\] |\d+ +)?(.*) <unfinished \.\.\.>$/;
const RESUMED = /^(\[pid +\d+\] |\d+ +)?<\.\.\. \w+ resumed>(.*)$/;

/**
 * Runs a program and returns its calls, in the order in which they ended. `options` says which: `trace=fsync`. Of each
 * file the calls show the path.
 */
export async function traceCalls(
	options: readonly string[],
	[program, ...args]: readonly string[],
	env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly calls: readonly SystemCall[]; readonly code: number | null; readonly stderr: string }> {
	const traced = ['-f', '-qq', '-y', '-s', '0', ...options, program, ...args];
	const { code, stderr } = await run('strace', traced, { env: env as Record<string, string> });
	return { calls: readCalls(stderr), code, stderr };
}

/** Joins the two lines of a call that another thread has interrupted, and leaves out every line that is no call. */
function readCalls(text: string): SystemCall[] {
	const begun = new Map<string, string>();
	return text.split('\n').flatMap((line) => {
		const [, by = '', start] = UNFINISHED.exec(line) ?? [];
		if (start !== undefined) begun.set(by, start);
		const [, resumedBy = '', end] = RESUMED.exec(line) ?? [];
		const whole = end === undefined ? line : `${begun.get(resumedBy) ?? ''}${end}`;
		const [, name, given, returned] = CALL.exec(whole) ?? [];
		return name === undefined ? [] : [{ name, given, returned }];
	});
}

/**
 * Makes calls of a running process fail, as `inject` says: `fdatasync:error=EIO`. With a path, only those on that file
 * fail. Resolves when this holds, to a function that ends it; it also ends with the test.
 */
export async function failCalls(
	t: { teardown(release: () => unknown): void },
	pid: number,
	inject: string,
	path?: string,
): Promise<() => Promise<void>> {
	const [name] = inject.split(':');
	const options = ['-f', '-e', `trace=${name}`, '-e', `inject=${inject}`, ...(path === undefined ? [] : ['-P', path])];
	const tracer: ChildProcess = spawn('strace', [...options, '-p', String(pid)], {
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	const stop = async () => {
		if (tracer.exitCode !== null || tracer.signalCode !== null) return;
		const ended = once(tracer, 'exit');
		tracer.kill('SIGTERM');
		await ended;
	};
	t.teardown(stop);
	await new Promise<void>((resolve, reject) => {
		tracer.once('exit', (code) => reject(new Error(`strace ended with code ${code}`)));
		tracer.stderr!.setEncoding('utf8').on('data', (text: string) => {
			if (/attached/.test(text)) resolve();
		});
	});
	return stop;
}
