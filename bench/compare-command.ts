import { EXIT } from '../src/installation/frame/command.ts';
import { table } from '../src/installation/frame/output.ts';
import { tellNumber } from './numbers.ts';
import { type BenchRun, figuresOf, type RunFigure, readRun } from './run-file.ts';

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

/** A figure that is worse by more than this percentage is marked. */
const WORSE_PERCENT = 5;

interface Comparison {
	readonly name: string;
	readonly unit: string;
	/** The values in both runs; one is undefined if its run does not have the figure. */
	readonly before?: number;
	readonly after?: number;
	/** The change in per cent of the value before; infinite if that was 0. */
	readonly change?: number;
	readonly isWorse: boolean;
}

/** Compares every figure of the groups that both runs measured. */
export function compareRuns(before: BenchRun, after: BenchRun): Comparison[] {
	const shared = new Set(
		before.groups.map(({ name }) => name).filter((name) => after.groups.some((each) => each.name === name)),
	);
	const failed = new Set(after.groups.filter(({ error }) => error !== undefined).map(({ name }) => name));
	const [earlier, later] = [figuresOf(before), figuresOf(after)];
	const names = [...new Set([...earlier.keys(), ...later.keys()])].filter((name) => shared.has(groupOf(name)));
	return names.map((name) => {
		const [old, new_] = [earlier.get(name), later.get(name)];
		const unit = (old ?? new_)!.unit;
		if (old !== undefined && new_ !== undefined) return { name, unit, ...compared(old, new_) };
		return { name, unit, before: old?.value, after: new_?.value, isWorse: failed.has(groupOf(name)) };
	});
}

const groupOf = (name: string) => name.split('/')[0];

function compared(old: RunFigure, new_: RunFigure): Omit<Comparison, 'name' | 'unit'> {
	const [before, after] = [old.value, new_.value];
	const difference = after - before;
	const change = difference === 0 ? 0 : (100 * difference) / Math.abs(before);
	const loss = new_.larger === 'better' ? -change : new_.larger === 'worse' ? change : 0;
	return { before, after, change, isWorse: loss > WORSE_PERCENT };
}
