// Tests the comparison of two runs, figure by figure.

import test from 'ava';
import fc from 'fast-check';
import { compareRuns } from '../../bench/compare-command.ts';
import { figures, rate, runOf, time } from './compare.setup.ts';

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
