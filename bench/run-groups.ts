// Runs groups one after the other. A group that fails says so in its row, and the others go on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactText } from '../src/base/log/redaction.ts';
import type { Measure } from './groups.ts';
import { type BenchPostgres, openBenchPostgres } from './postgres.ts';
import type { BenchGroupRun } from './run-file.ts';
import type { BenchRow } from './table.ts';

/** Measures groups; `onGroup` is told of each as it ends. */
export async function runGroups(
	measures: readonly (readonly [name: string, measure: Measure])[],
	onGroup: (group: BenchGroupRun) => void = () => {},
): Promise<BenchGroupRun[]> {
	let postgres: BenchPostgres | undefined;
	const openPostgres = async () => (postgres ??= await openBenchPostgres());
	const groups: BenchGroupRun[] = [];
	try {
		for (const [name, measure] of measures) {
			const group = await runGroup(name, measure, openPostgres);
			groups.push(group);
			onGroup(group);
		}
	} finally {
		await postgres?.close();
	}
	return groups;
}

async function runGroup(
	name: string,
	measure: Measure,
	openPostgres: () => Promise<BenchPostgres>,
): Promise<BenchGroupRun> {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-bench-'));
	const started = performance.now();
	const seconds = () => Math.round(performance.now() - started) / 1000;
	try {
		const rows = await measure(folder, openPostgres);
		checkNames(name, rows);
		return { name, seconds: seconds(), rows: rows.map((row) => ({ ...row, figures: row.figures.map(withRuns) })) };
	} catch (error) {
		const message = redactText(error instanceof Error ? error.message : String(error));
		const row = { what: `the group ${name}`, result: `failed: ${message.split('\n')[0]}`, target: '', figures: [] };
		return { name, seconds: seconds(), error: message, rows: [row] };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const withRuns = (each: BenchRow['figures'][number]) => ({ ...each, runs: [...each.runs] });

/** Checks that each figure has a name of its own that begins with its group, because runs are compared by these names. */
function checkNames(group: string, rows: readonly BenchRow[]): void {
	const seen = new Set<string>();
	for (const { name } of rows.flatMap(({ figures }) => figures)) {
		if (!name.startsWith(`${group}/`))
			throw new Error(`internal error: the figure ${name} is not named after ${group}`);
		if (seen.has(name)) throw new Error(`internal error: there are two figures ${name}`);
		seen.add(name);
	}
}
