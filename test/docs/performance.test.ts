// What docs/performance.md says of measuring is so.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { AMOUNTS, amount, givenAmounts, tellBytes } from '../bench/amounts.ts';

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
