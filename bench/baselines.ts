// Measures scripts that a user would write if there were no vault, on the same file and the same PostgreSQL as the vault.

import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PYTHON } from '../test/helpers/programs.ts';
import { runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { FILE_BYTES, thereAndBack } from './files.ts';
import { type BenchFile, generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import type { BenchPostgres } from './postgres.ts';
import type { BenchRow } from './table.ts';

const RUNS = runs(3);
const script = (name: string) => fileURLToPath(new URL(`./baselines/${name}`, import.meta.url));

interface Script {
	readonly what: string;
	readonly name: string;
	missing(): string[];
	/** Runs the script once and returns how many cards a second it tokenized. */
	run(url: string, file: BenchFile, output: string): number;
}

const SCRIPTS: readonly Script[] = [
	{
		what: 'python_vault.py',
		name: 'python',
		missing: () =>
			['psycopg2', 'cryptography']
				.filter((name) => spawnSync(PYTHON, ['-c', `import ${name}`]).status !== 0)
				.map((name) => `python3-${name}`),
		run(url, file, output) {
			const columns = ['CardNumber', 'ExpirationDate'];
			const text = execFileSync(PYTHON, [script('python_vault.py'), url, file.path, output, ...columns]);
			return Number(text.toString().split(' ')[2]);
		},
	},
	{
		what: 'pgcrypto_vault.sh',
		name: 'pgcrypto',
		missing: () => findMissingPrograms('psql'),
		run: (url, file, output) =>
			file.records / Number(execFileSync('sh', [script('pgcrypto_vault.sh'), url, file.path, output])),
	},
];

/** Measures the Python and the pgcrypto script, and how many times faster the vault is on the same database. */
export async function baselineRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const file = generate('SIMPLECSV', join(folder, 'baseline.csv'), FILE_BYTES);
	const url = await postgres.createDatabase();
	const output = join(folder, 'baseline.out');
	const rows: BenchRow[] = [];
	const rates: number[] = [];
	for (const { what, name, missing, run } of SCRIPTS) {
		const lacking = missing();
		if (lacking.length > 0) {
			rows.push(missingRow(what, lacking));
			continue;
		}
		const measured = Array.from({ length: RUNS }, () => run(url, file, output));
		rates.push(median(measured));
		const figures = [figure(`baselines/${name}`, 'cards/s', measured, { larger: 'neither' })];
		rows.push({ what, result: `${Math.round(median(measured) / 1000)},000 cards/s`, target: '', figures });
	}
	const { there } = await thereAndBack(folder, 'SIMPLECSV', file, () => postgres.createDatabase());
	rows.push(
		oursRow(
			there.map((each) => each.cards / each.seconds),
			rates,
		),
	);
	rmSync(file.path);
	rmSync(output, { force: true });
	return rows;
}

function oursRow(measured: readonly number[], others: readonly number[]): BenchRow {
	const ours = median(measured);
	const rate = `${Math.round(ours / 1000)},000 cards/s`;
	const row = { what: 'tokendrop on the same file and server', target: '5 times (15)' };
	const figures = [figure('baselines/ours', 'cards/s', measured)];
	if (others.length === 0) return { ...row, result: `${rate}, no script to compare with`, figures };
	const times = ours / Math.max(...others);
	figures.push(figure('baselines/times the faster script', 'times', times, { must: 5, aim: 15 }));
	return { ...row, result: `${rate}, ${times.toFixed(1)} times the faster script`, figures };
}
