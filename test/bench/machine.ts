// On what a run was made.

import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BenchRun } from './run-file.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the machine says of itself; no name of it and no address. */
export function readMachine(): BenchRun['machine'] {
	return {
		cores: availableParallelism(),
		processor: cpus()[0]?.model ?? '',
		memoryBytes: totalmem(),
		kernel: `${type()} ${release()}`,
		node: process.version,
	};
}

/** The commit that is checked out, and whether files differ from it. */
export function readCommit(): Pick<BenchRun, 'commit' | 'isChanged'> {
	const git = (...args: string[]) => {
		const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
		return status === 0 ? stdout.trim() : undefined;
	};
	return { commit: git('rev-parse', 'HEAD') ?? null, isChanged: (git('status', '--porcelain') ?? '') !== '' };
}
