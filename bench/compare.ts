// Compares two runs, figure by figure.

import { type BenchRun, figuresOf, type RunFigure } from './run-file.ts';

/** A figure that is worse by more than this percentage is marked. */
export const WORSE_PERCENT = 5;

export interface Comparison {
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
