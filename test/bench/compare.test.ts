// Tests the comparison of two runs, figure by figure.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import fc from 'fast-check';
import { compareRuns } from '../../bench/compare.ts';
import { type BenchRun, type RunFigure, writeRun } from '../../bench/run-file.ts';

const MAIN = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const MACHINE = { cores: 2, processor: 'p', memoryBytes: 1, kernel: 'k', node: 'v24.0.0' };

function runOf(figures: readonly RunFigure[], more: Partial<BenchRun> = {}): BenchRun {
	const groups = [...Map.groupBy(figures, ({ name }) => name.split('/')[0])].map(([name, own]) => ({
		...{ name, seconds: 1 },
		rows: [{ what: name, result: '', target: '', figures: own }],
	}));
	const head = { version: 1, machine: MACHINE, startedAt: '', commit: null, isChanged: false, amounts: {} } as const;
	return { ...head, groups, ...more };
}

const rate = (name: string, value: number): RunFigure => ({
	...{ name, value, unit: 'MB/s', larger: 'better', runs: [value] },
});
const time = (name: string, value: number): RunFigure => ({ ...rate(name, value), unit: 'ms', larger: 'worse' });

test('what is more than five per cent worse is marked, whichever way is worse', (t) => {
	const before = runOf([rate('files/a', 100), rate('files/b', 100), time('files/c', 100), time('files/d', 0)]);
	const after = runOf([rate('files/a', 94), rate('files/b', 95), time('files/c', 106), time('files/d', 1)]);
	t.deepEqual(
		compareRuns(before, after).map(({ name, change, isWorse }) => [name, change, isWorse]),
		[
			['files/a', -6, true],
			['files/b', -5, false],
			['files/c', 6, true],
			['files/d', Number.POSITIVE_INFINITY, true],
		],
	);
	t.true(compareRuns(after, before).every(({ isWorse }) => !isWorse));
});

test('figures of groups that only one run measured are left out; those of a group that failed are worse', (t) => {
	const before = runOf([rate('files/a', 1), rate('http/a', 1), rate('memory/a', 1)]);
	const failed = { name: 'memory', seconds: 1, error: 'broken', rows: [] };
	const after = runOf([rate('files/b', 1)]);
	const all = compareRuns(before, { ...after, groups: [...after.groups, failed] });
	t.deepEqual(
		all.map(({ name, before, after, isWorse }) => [name, before, after, isWorse]),
		[
			['files/a', 1, undefined, false],
			['memory/a', 1, undefined, true],
			['files/b', undefined, 1, false],
		],
	);
});

const figures = fc.uniqueArray(
	fc.record({
		name: fc.string().map((text) => `files/${text}`),
		value: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
		unit: fc.constant('ms'),
		larger: fc.constantFrom('better' as const, 'worse' as const, 'neither' as const),
		runs: fc.constant([1] as number[]),
	}),
	{ selector: ({ name }) => name },
);

test('property: a run is never worse than itself, and of two runs a figure is not worse both ways', (t) => {
	fc.assert(
		fc.property(figures, fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true })), (all, others) => {
			const before = runOf(all);
			const after = runOf(all.map((each, n) => ({ ...each, value: others[n] ?? each.value })));
			t.true(compareRuns(before, before).every(({ isWorse, change }) => !isWorse && change === 0));
			const back = compareRuns(after, before);
			for (const [n, each] of compareRuns(before, after).entries()) t.false(each.isWorse && back[n].isWorse);
		}),
	);
});

test('bench compare prints both runs and what is worse, and ends with 1 where anything is', (t) => {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-compare-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	const [before, after] = ['before.json', 'after.json'].map((name) => join(folder, name));
	writeRun(before, runOf([rate('files/GBT/tokenize/bytes', 40), time('files/other', 12)]));
	writeRun(
		after,
		runOf([rate('files/GBT/tokenize/bytes', 30), time('files/other', 12)], { amounts: { BENCH_RUNS: '1' } }),
	);
	const run = (...paths: string[]) => spawnSync(process.execPath, [MAIN, 'compare', ...paths], { encoding: 'utf8' });
	const worse = run(before, after);
	t.is(worse.status, 1, worse.stderr);
	t.regex(worse.stdout, /The runs differ in BENCH_RUNS: not set before, 1 after\./);
	t.regex(worse.stdout, /files\/GBT\/tokenize\/bytes +40 MB\/s +30 MB\/s +-25\.0 % +WORSE/);
	t.regex(worse.stdout, /files\/other +12 ms +12 ms +0\.0 %\n/);
	t.regex(worse.stdout, /2 figures, 1 of them more than 5 % worse/);
	t.is(run(after, before).status, 0);
});
