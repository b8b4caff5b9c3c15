// What compare.test.ts and compare.slow.test.ts share.

import fc from 'fast-check';
import type { BenchRun, RunFigure } from '../../bench/run-file.ts';

const MACHINE = { cores: 2, processor: 'p', memoryBytes: 1, kernel: 'k', node: 'v24.0.0' };

export function runOf(figures: readonly RunFigure[], more: Partial<BenchRun> = {}): BenchRun {
	const groups = [...Map.groupBy(figures, ({ name }) => name.split('/')[0])].map(([name, own]) => ({
		...{ name, seconds: 1 },
		rows: [{ what: name, result: '', target: '', figures: own }],
	}));
	const head = { version: 1, machine: MACHINE, startedAt: '', commit: null, isChanged: false, amounts: {} } as const;
	return { ...head, groups, ...more };
}

export const rate = (name: string, value: number): RunFigure => ({
	...{ name, value, unit: 'MB/s', larger: 'better', runs: [value] },
});
export const time = (name: string, value: number): RunFigure => ({ ...rate(name, value), unit: 'ms', larger: 'worse' });

export const figures = fc.uniqueArray(
	fc.record({
		name: fc.string().map((text) => `files/${text}`),
		value: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
		unit: fc.constant('ms'),
		larger: fc.constantFrom('better' as const, 'worse' as const, 'neither' as const),
		runs: fc.constant([1] as number[]),
	}),
	{ selector: ({ name }) => name },
);
