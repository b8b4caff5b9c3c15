import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cutBytes, runs } from './amounts.ts';
import { figure } from './figures.ts';
import { freshSqlite, transferOnce } from './files.ts';
import { generate } from './generate.ts';
import type { BenchRow } from './table.ts';
import type { TransferOnceResult } from './transfer-once.ts';

/** The length of a file with 1,000,000 cards, in bytes. */
const BYTES = cutBytes(107_000_000);
const RUNS = runs(3);

const FILES = [
	['no warning', 'SIMPLECSV'],
	['one warning each', 'WARNED'],
] as const;

/** Measures the report of a million cards: its length, and what warnings cost the job in memory and time. */
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
		const of = (read: (result: TransferOnceResult) => number) => results.map(read);
		const length = figure(
			`report/${label}/length`,
			'bytes',
			of((each) => each.reportBytes),
			{ must: 1_000_000 },
		);
		const memory = figure(
			`report/${label}/memory`,
			'MB',
			of((each) => each.peakMb),
		);
		const seconds = figure(
			`report/${label}/seconds`,
			's',
			of((each) => each.seconds),
		);
		rows.push({
			what: `report of ${file.records.toLocaleString('en-US')} cards, ${label}`,
			result: `${length.value} bytes; peak ${memory.value.toFixed(0)} MB, ${seconds.value.toFixed(2)} s`,
			target: '1 MB; memory and time as without warnings',
			figures: [length, memory, seconds],
		});
		for (const path of [file.path, output]) rmSync(path);
	}
	return rows;
}
