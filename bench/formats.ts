// Measures the processor time of the pass alone, for each format beside CSV with cards: what starting a process, reading its
// code and compiling it costs is left out. So the rows are ratios, which say the same on any machine.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { cutBytes, runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { freshSqlite, transferOnce } from './files.ts';
import { generate } from './generate.ts';
import type { BenchRow } from './table.ts';

const FILE_BYTES = cutBytes(40_000_000);
const RUNS = runs(5);

/** What must be reached with cards, and what is aimed at, beside CSV with cards. */
const WITH_CARDS = {
	AIR: { must: 1.6, aim: 2 },
	IUR: { must: 1.6, aim: 2 },
	TADC: { must: 1.1, aim: 1.5 },
	SIMPLEJSON: { must: 1.1, aim: 1.5 },
} as const;
const WITHOUT_CARD = { must: 4, aim: 8 };
const NO_CARD = {
	CSV: 'NOCARD',
	AIR: 'AIR-NOCARD',
	IUR: 'IUR-NOCARD',
	TADC: 'TADC-NOCARD',
	SIMPLEJSON: 'SIMPLEJSON-NOCARD',
} as const;

/** Measures every file once a round, so that whatever else the machine does meets all of them alike. */
export async function formatRows(folder: string): Promise<BenchRow[]> {
	const csv: number[] = [];
	const passes = [
		...Object.entries(WITH_CARDS).map(([filter, goal]) => passOf(filter, filter, 'cards', goal)),
		...Object.entries(NO_CARD).map(([filter, layout]) => passOf(filter, layout, 'no card', WITHOUT_CARD)),
	];
	for (let run = 0; run < RUNS; run++) {
		csv.push(await measure(folder, 'CSV', 'CSV'));
		for (const { filter, layout, rates } of passes) rates.push(await measure(folder, filter, layout));
	}
	const rows: BenchRow[] = [
		{
			what: 'CSV, with cards',
			result: `${median(csv).toFixed(0)} MB a second of the processor`,
			target: '(to compare with)',
			figures: [figure('formats/CSV/cards', 'MB/s', csv)],
		},
	];
	for (const { filter, kind, goal, rates } of passes) {
		const times = rates.map((rate, run) => rate / csv[run]);
		rows.push({
			what: `${filter}, ${kind === 'cards' ? 'with cards' : 'without a card'}, beside CSV with cards`,
			result: `${median(times).toFixed(2)} times (${median(rates).toFixed(0)} MB a second of the processor)`,
			target: `${goal.must} times (${goal.aim})`,
			figures: [figure(`formats/${filter}/${kind}`, 'times', times, goal)],
		});
	}
	return rows;
}

function passOf(filter: string, layout: string, kind: 'cards' | 'no card', goal: { must: number; aim: number }) {
	return { filter, layout, kind, goal, rates: [] as number[] };
}

/** Passes a file twice and returns the MB a second of processor time of the second pass. */
async function measure(folder: string, filter: string, layout: string): Promise<number> {
	const { path } = generate(layout, join(folder, layout), FILE_BYTES);
	const task = { databaseUrl: await freshSqlite(folder), filter, direction: 'tokenize', input: path } as const;
	const { bytes, processorSeconds } = transferOnce({ ...task, output: '/dev/null', isWarm: true });
	rmSync(path);
	return bytes / 1e6 / processorSeconds;
}
