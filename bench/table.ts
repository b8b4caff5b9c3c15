import type { Figure } from './figures.ts';

/** One line of the benchmark's table, and the numbers in it. */
export interface BenchRow {
	readonly what: string;
	readonly result: string;
	readonly target: string;
	readonly figures: readonly Figure[];
}

const KEYS = ['what', 'result', 'target'] as const;
export const HEAD = { what: 'what', result: 'measured', target: 'must reach (aim)' };

/** Prints rows as columns, ready to be pasted into a note. */
export function printTable(rows: readonly Pick<BenchRow, (typeof KEYS)[number]>[]): void {
	const all = [HEAD, ...rows];
	const widths = KEYS.map((key) => Math.max(...all.map((row) => row[key].length)));
	for (const [index, row] of all.entries()) {
		const line = `| ${KEYS.map((key, column) => row[key].padEnd(widths[column])).join(' | ')} |`;
		process.stdout.write(`${line}\n`);
		if (index === 0) process.stdout.write(`${line.replace(/[^|]/g, '-')}\n`);
	}
}
