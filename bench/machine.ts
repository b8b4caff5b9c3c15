// Reads on which machine, and from which commit, a run is made.

import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BenchRun } from './run-file.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns what the machine says of itself, without its name and its address. */
export function readMachine(): BenchRun['machine'] {
	return {
		cores: availableParallelism(),
		processor: cpus()[0]?.model ?? '',
		memoryBytes: totalmem(),
		kernel: `${type()} ${release()}`,
		node: process.version,
	};
}

/** Returns the commit that is checked out, and whether files differ from it. */
export function readCommit(): Pick<BenchRun, 'commit' | 'isChanged'> {
	const git = (...args: string[]) => {
		const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
		return status === 0 ? stdout.trim() : undefined;
	};
	return { commit: git('rev-parse', 'HEAD') ?? null, isChanged: (git('status', '--porcelain') ?? '') !== '' };
}
