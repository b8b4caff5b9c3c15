import { EXIT } from '../src/installation/frame/command.ts';
import { table } from '../src/installation/frame/output.ts';
import { type Comparison, compareRuns, WORSE_PERCENT } from './compare.ts';
import { tellNumber } from './numbers.ts';
import { type BenchRun, readRun } from './run-file.ts';

/** Prints two runs side by side. Returns the exit code, which is 1 if a figure is more than five per cent worse. */
export function compareCommand(beforePath: string, afterPath: string): number {
	const [before, after] = [readRun(beforePath), readRun(afterPath)];
	const all = compareRuns(before, after);
	const worse = all.filter(({ isWorse }) => isWorse);
	const lines = [
		...differences(before, after),
		table(['figure', 'before', 'after', 'change', ''], all.map(cellsOf)),
		`${all.length} figures, ${worse.length} of them more than ${WORSE_PERCENT} % worse`,
	];
	process.stdout.write(`${lines.join('\n')}\n`);
	return worse.length > 0 ? EXIT.failed : EXIT.ok;
}

function cellsOf({ name, unit, before, after, change, isWorse }: Comparison): string[] {
	const tell = (value: number | undefined) => (value === undefined ? 'not measured' : `${tellNumber(value)} ${unit}`);
	return [name, tell(before), tell(after), tellChange(change), isWorse ? 'WORSE' : ''];
}

function tellChange(change: number | undefined): string {
	if (change === undefined) return '';
	if (!Number.isFinite(change)) return 'from 0';
	return `${change > 0 ? '+' : ''}${change.toFixed(1)} %`;
}

/** Tells in what else the runs differ, because figures of other machines or of smaller runs say little about a change. */
function differences(before: BenchRun, after: BenchRun): string[] {
	const facts = (run: BenchRun) => ({ ...run.machine, ...run.amounts }) as Record<string, string | number>;
	const [old, new_] = [facts(before), facts(after)];
	const names = [...new Set([...Object.keys(old), ...Object.keys(new_)])].filter((name) => old[name] !== new_[name]);
	return names.map(
		(name) => `The runs differ in ${name}: ${old[name] ?? 'not set'} before, ${new_[name] ?? 'not set'} after.`,
	);
}
