/** Middle value; the mean of the middle two for an even count. */
export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** One line of the benchmark's table. */
export interface BenchRow {
	readonly what: string;
	readonly result: string;
	readonly target: string;
}

/** Prints rows as columns, ready to be pasted into a note. */
export function printTable(rows: readonly BenchRow[]): void {
	const all = [{ what: 'what', result: 'measured', target: 'must reach (aim)' }, ...rows];
	const width = (key: keyof BenchRow) => Math.max(...all.map((row) => row[key].length));
	const widths = { what: width('what'), result: width('result'), target: width('target') };
	for (const [index, row] of all.entries()) {
		const line = `| ${row.what.padEnd(widths.what)} | ${row.result.padEnd(widths.result)} | ${row.target.padEnd(widths.target)} |`;
		process.stdout.write(`${line}\n`);
		if (index === 0) process.stdout.write(`${line.replace(/[^|]/g, '-')}\n`);
	}
}
