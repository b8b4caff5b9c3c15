import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BenchGroup } from '../src/commands/installation/bench.ts';
import { EXIT } from '../src/installation/frame/command.ts';
import { givenAmounts } from './amounts.ts';
import { MEASURES } from './groups.ts';
import { type BenchGroupRun, type BenchRun, writeRun } from './run-file.ts';
import { runGroups } from './run-groups.ts';
import { printTable } from './table.ts';

/** Measures groups, prints their table, and writes the run if a path is given. Returns the exit code. */
export async function measureCommand(names: readonly BenchGroup[], path: string | undefined): Promise<number> {
	const groups: BenchGroupRun[] = [];
	const run: BenchRun = {
		version: 1,
		machine: readMachine(),
		startedAt: new Date().toISOString(),
		...readCommit(),
		amounts: givenAmounts(),
		groups,
	};
	// The run is written before the first group, so that a path that cannot be written is told now and not after an hour.
	if (path !== undefined) writeRun(path, run);
	const measures = names.map((name) => [name, MEASURES[name]] as const);
	await runGroups(measures, (group) => {
		groups.push(group);
		process.stderr.write(`${group.name}: ${group.error === undefined ? 'measured' : 'failed'} in ${group.seconds} s\n`);
		if (path !== undefined) writeRun(path, run);
	});
	printTable(groups.flatMap(({ rows }) => rows));
	return groups.some(({ error }) => error !== undefined) ? EXIT.failed : EXIT.ok;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns what the machine says of itself, without its name and its address. */
function readMachine(): BenchRun['machine'] {
	return {
		cores: availableParallelism(),
		processor: cpus()[0]?.model ?? '',
		memoryBytes: totalmem(),
		kernel: `${type()} ${release()}`,
		node: process.version,
	};
}

/** Returns the commit that is checked out, and whether files differ from it. */
function readCommit(): Pick<BenchRun, 'commit' | 'isChanged'> {
	const git = (...args: string[]) => {
		const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
		return status === 0 ? stdout.trim() : undefined;
	};
	return { commit: git('rev-parse', 'HEAD') ?? null, isChanged: (git('status', '--porcelain') ?? '') !== '' };
}
