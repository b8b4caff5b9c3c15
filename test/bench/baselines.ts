// What a user would otherwise write, on the same file and the same PostgreSQL.

import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILE_BYTES, thereAndBack } from './files.ts';
import { generate } from './generate.ts';
import type { BenchPostgres } from './postgres.ts';
import { type BenchRow, median } from './table.ts';

const RUNS = 3;
const script = (name: string) => fileURLToPath(new URL(`./baselines/${name}`, import.meta.url));
/** Debian's packages belong to Debian's Python, whichever stands first in the path. */
const PYTHON = '/usr/bin/python3';

function runs(measure: () => number): number {
	return median(Array.from({ length: RUNS }, measure));
}

/** The Python and the pgcrypto script, and how many times faster the vault is on the same database. */
export async function baselineRows(folder: string, postgres: BenchPostgres): Promise<BenchRow[]> {
	const file = generate('SIMPLECSV', join(folder, 'baseline.csv'), FILE_BYTES);
	const url = await postgres.createDatabase();
	const output = join(folder, 'baseline.out');
	const rows: BenchRow[] = [];
	const rates: number[] = [];

	const hasPython = spawnSync(PYTHON, ['-c', 'import psycopg2, cryptography']).status === 0;
	if (hasPython) {
		const rate = runs(() => {
			const columns = ['CardNumber', 'ExpirationDate'];
			const text = execFileSync(PYTHON, [script('python_vault.py'), url, file.path, output, ...columns]);
			return Number(text.toString().split(' ')[2]);
		});
		rates.push(rate);
		rows.push({ what: 'python_vault.py', result: `${Math.round(rate / 1000)},000 cards/s`, target: '' });
	} else rows.push({ what: 'python_vault.py', result: 'python3-psycopg2 or python3-cryptography missing', target: '' });

	if (spawnSync('psql', ['--version']).status === 0) {
		const rate = runs(() => {
			const seconds = Number(execFileSync('sh', [script('pgcrypto_vault.sh'), url, file.path, output]));
			return file.records / seconds;
		});
		rates.push(rate);
		rows.push({ what: 'pgcrypto_vault.sh', result: `${Math.round(rate / 1000)},000 cards/s`, target: '' });
	} else rows.push({ what: 'pgcrypto_vault.sh', result: 'psql missing', target: '' });

	const { there } = await thereAndBack(folder, 'SIMPLECSV', file, () => postgres.createDatabase());
	const ours = median(there.map((each) => each.cards / each.seconds));
	const fastest = Math.max(...rates);
	rows.push({
		what: 'tokendrop on the same file and server',
		result: `${Math.round(ours / 1000)},000 cards/s, ${(ours / fastest).toFixed(1)} times the faster script`,
		target: '5 times (15)',
	});
	rmSync(file.path);
	rmSync(output, { force: true });
	return rows;
}
