import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { freshSqlite, transferOnce } from './files.ts';
import { generate } from './generate.ts';
import type { BenchRow } from './table.ts';

const SIZES: readonly [label: string, bytes: number][] = [
	['10 MB', 10_000_000],
	['2 GB', 2_000_000_000],
];

/** Measures the largest resident memory of one job's process on a small and on a large file. */
export async function memoryRows(folder: string): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	const output = join(folder, 'memory-out');
	for (const [label, bytes] of SIZES) {
		if (bytes > amount('BENCH_MAX_BYTES', bytes)) continue;
		const file = generate('SIMPLECSV', join(folder, 'memory'), bytes);
		const databaseUrl = await freshSqlite(folder);
		const { peakMb } = transferOnce({
			databaseUrl,
			filter: 'SIMPLECSV',
			direction: 'tokenize',
			input: file.path,
			output,
		});
		rows.push({
			what: `peak memory of one job, ${label}`,
			result: `${peakMb.toFixed(0)} MB`,
			target: 'the same within 20 %, under 250 MB (150 MB)',
			figures: [figure(`memory/${label}`, 'MB', peakMb, { must: 250, aim: 150 })],
		});
		rmSync(file.path);
		rmSync(output);
	}
	return rows;
}
