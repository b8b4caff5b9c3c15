// Checks that docs/performance.md describes the measuring as it is.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { AMOUNTS, amount, givenAmounts, tellBytes } from '../../bench/amounts.ts';
import { fillPage, plotsOf } from '../../bench/plot/page.ts';
import { readRun } from '../../bench/run-file.ts';

const FOLDER = new URL('../../docs/performance/', import.meta.url);
const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');

test('the page lists every variable that changes how much is measured', (t) => {
	const rows = Object.entries(AMOUNTS).map(([name, says]) => `| \`${name}\` | ${says} |`);
	t.deepEqual(page.match(/^\| `BENCH_.*$/gm), rows);
});

test('an amount is a whole number or the usual one', (t) => {
	t.is(amount('BENCH_RUNS', 3, {}), 3);
	t.is(amount('BENCH_RUNS', 3, { BENCH_RUNS: '7' }), 7);
	t.throws(() => amount('BENCH_RUNS', 3, { BENCH_RUNS: '1.5' }), { message: 'BENCH_RUNS is no whole number: 1.5' });
	t.deepEqual(givenAmounts({ BENCH_RUNS: '1', OTHER: '2' }), { BENCH_RUNS: '1' });
	t.deepEqual([1024, 256 * 2 ** 20, 2_000_000_000, 100_000, 10_240, 1_234_567].map(tellBytes), [
		'1 KiB',
		'256 MiB',
		'2 GB',
		'100 KB',
		'10 KiB',
		'1,234,567 bytes',
	]);
});

test('tables and drawings of the page are those of the run beside it', (t) => {
	const run = readRun(fileURLToPath(new URL('run.json', FOLDER)));
	t.is(fillPage(page, 'performance', run), page, 'npm run bench plot docs/performance/run.json docs/performance/');
	const drawn = plotsOf(run);
	for (const { name, draw } of drawn) t.is(readFileSync(new URL(`${name}.svg`, FOLDER), 'utf8'), draw(run), name);
	const files = ['run.json', ...drawn.map(({ name }) => `${name}.svg`)];
	t.deepEqual(readdirSync(FOLDER).toSorted(), files.toSorted());
});

test('the run tells figures and no path or name of the machine', (t) => {
	const text = readFileSync(new URL('run.json', FOLDER), 'utf8');
	t.notRegex(text, /\/(tmp|root|home|work)\//);
	const run = readRun(fileURLToPath(new URL('run.json', FOLDER)));
	for (const { name, rows } of run.groups) {
		for (const { what, result, figures } of rows) {
			const isTold = figures.length > 0 || /^not measured|^failed/.test(result) || what.endsWith(': seed');
			t.true(isTold, `${name}: ${what}`);
		}
	}
});
