// Those tests of plot.test.ts that take long.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { drawLines } from '../../../bench/plot/lines.ts';
import { fillPage, plotsOf } from '../../../bench/plot/page.ts';
import { drawBars } from '../../../bench/plot/plots.ts';
import { readRun } from '../../../bench/run-file.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { SMALL, small, textsOf } from './plot.setup.ts';

const MAIN = fileURLToPath(new URL('../../../bench/main.ts', import.meta.url));

const text = fc.string({ unit: anyCharacter, maxLength: 12 });
const value = fc.option(fc.double({ min: -1e9, max: 1e12, noNaN: true }), { nil: undefined });
const chart = fc.record({ title: text, description: text, unit: text, across: text }).chain((words) =>
	fc.integer({ min: 0, max: 6 }).chain((count) =>
		fc.record({
			words: fc.constant(words),
			labels: fc.array(text, { minLength: count, maxLength: count }),
			series: fc.array(fc.record({ name: text, values: fc.array(value, { minLength: count, maxLength: count }) }), {
				maxLength: 4,
			}),
		}),
	),
);
/** Says whether a drawing keeps the whole of a text, because it is not empty and XML can hold all of its characters. */
const held = (given: string) => /^[\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+$/u.test(given);

test('property: drawings of any words and values are well-formed and have every label', (t) => {
	fc.assert(
		fc.property(chart, ({ words, labels, series }) => {
			const places = labels.map((label, n) => ({ label, at: 2 ** n }));
			for (const svg of [drawBars({ ...words, series, places: labels }), drawLines({ ...words, series, places })]) {
				const { texts, all } = textsOf(svg);
				const said = [words.title, words.unit, words.across, ...labels, ...series.map(({ name }) => name)];
				for (const label of said.filter(held)) t.true(texts.includes(label));
				t.notRegex(svg, /NaN|undefined|Infinity/);
				t.is(typeof all, 'string');
			}
		}),
	);
});

function makeFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-plot-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

test('bench plot draws a run, keeps it beside the drawings, and fills the page next to the folder', (t) => {
	const folder = makeFolder(t);
	const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');
	writeFileSync(join(folder, 'performance.md'), page);
	const target = join(folder, 'performance');
	const { status, stderr } = spawnSync(process.execPath, [MAIN, 'plot', SMALL, `${target}/`], { encoding: 'utf8' });
	t.is(status, 0, stderr);
	const filled = readFileSync(join(folder, 'performance.md'), 'utf8');
	t.regex(filled, /\*\*This run had other amounts than usual \(`BENCH_RUNS=1`\): compare it/);
	t.regex(filled, /\| the group memory \| failed: no room \|/);
	const shown = [...filled.matchAll(/!\[[^\]]+\]\(performance\/(\S+)\.svg\)/g)].map(([, name]) => name);
	t.deepEqual(
		shown.toSorted(),
		plotsOf(small)
			.map(({ name }) => name)
			.toSorted(),
	);
	for (const name of shown) t.true(existsSync(join(target, `${name}.svg`)), name);
	t.deepEqual(readRun(join(target, 'run.json')), small);
	// If a group is missing from a later run, its former drawings and tables are removed.
	const less = { ...small, groups: small.groups.filter(({ name }) => name !== 'sizes') };
	writeFileSync(join(folder, 'less.json'), JSON.stringify(less));
	t.is(spawnSync(process.execPath, [MAIN, 'plot', join(folder, 'less.json'), target]).status, 0);
	t.false(existsSync(join(target, 'sizes-upload.svg')));
	t.notRegex(readFileSync(join(folder, 'performance.md'), 'utf8'), /Lengths of files/);
	t.throws(() => fillPage('a page', 'performance', small), { message: 'the page has no place for what was measured' });
});
