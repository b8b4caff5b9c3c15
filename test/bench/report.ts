import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshSqlite, transferOnce } from './files.ts';
import { generate } from './generate.ts';
import { type BenchRow, median } from './table.ts';
import type { TransferOnceResult } from './transfer-once.ts';

/** 1,000,000 cards. */
const BYTES = 107_000_000;
const RUNS = 3;

const FILES = [
	['no warning', 'SIMPLECSV'],
	['one warning each', 'WARNED'],
] as const;

/** The report of a million cards: its length, and what warnings cost the job in memory and time. */
export async function reportRows(folder: string): Promise<BenchRow[]> {
	const rows: BenchRow[] = [];
	for (const [label, layout] of FILES) {
		const file = generate(layout, join(folder, layout), BYTES);
		const output = join(folder, 'report-out');
		const results: TransferOnceResult[] = [];
		for (let n = 0; n < RUNS; n++) {
			const databaseUrl = await freshSqlite(folder);
			const paths = { databaseUrl, input: file.path, output, reportFolder: join(folder, 'reports') };
			results.push(transferOnce({ ...paths, filter: 'SIMPLECSV', direction: 'tokenize' }));
		}
		const of = (read: (result: TransferOnceResult) => number) => median(results.map(read));
		const seconds = of((each) => each.seconds).toFixed(2);
		rows.push({
			what: `report of ${file.records.toLocaleString('en-US')} cards, ${label}`,
			result: `${of((each) => each.reportBytes)} bytes; peak ${of((each) => each.peakMb).toFixed(0)} MB, ${seconds} s`,
			target: '1 MB; memory and time as without warnings',
		});
		for (const path of [file.path, output]) rmSync(path);
	}
	return rows;
}
