// Tests drawings of runs: they are well-formed and have every label and value, and the page says what its run says.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Element, parseXmlDocument } from 'slimdom';
import { drawBars } from '../../../bench/plot/bars.ts';
import { drawLines } from '../../../bench/plot/lines.ts';
import { fillPage, plotsOf, SECTIONS } from '../../../bench/plot/page.ts';
import { PLOTS } from '../../../bench/plot/plots.ts';
import { ticksTo } from '../../../bench/plot/scale.ts';
import { figuresOf, readRun } from '../../../bench/run-file.ts';
import { BENCH_GROUPS } from '../../../src/commands/installation/bench.ts';
import { anyCharacter } from '../../helpers/any-character.ts';

const MAIN = fileURLToPath(new URL('../../../bench/main.ts', import.meta.url));
const SMALL = fileURLToPath(new URL('./small-run.json', import.meta.url));
const small = readRun(SMALL);

/** Returns the texts of a drawing. @throws if it is not well-formed XML */
function textsOf(svg: string): { readonly texts: string[]; readonly all: string; readonly root: Element } {
	const root = parseXmlDocument(svg).documentElement!;
	const texts = root.getElementsByTagName('text').map(({ textContent }) => textContent ?? '');
	return { texts, all: root.textContent ?? '', root };
}

for (const plot of PLOTS) {
	test(`${plot.name}: well-formed, with title, description, units, labels and values`, (t) => {
		const { texts, all, root } = textsOf(plot.draw(small));
		const told = plot as unknown as { unit: string; across: string; series: Record<string, readonly string[]> };
		t.is(root.getElementsByTagName('title')[0].textContent, plot.title);
		t.true((root.getElementsByTagName('desc')[0].textContent ?? '').length > 50);
		for (const label of [plot.title, told.unit, told.across, ...Object.keys(told.series)]) {
			t.true(texts.includes(label), label);
		}
		const style = root.getElementsByTagName('style')[0].textContent ?? '';
		t.regex(style, /prefers-color-scheme: dark/);
		const drawn = Object.values(told.series)
			.flat()
			.filter((name) => figuresOf(small).has(name));
		t.true(drawn.length > 0);
		t.is(root.getElementsByTagName('title').length - 1, drawn.length);
		if (drawn.length < Object.values(told.series).flat().length) t.regex(all, /not measured/);
	});
}

test('every group has its place on the page, and one only', (t) => {
	const shown = SECTIONS.flatMap(({ groups }) => groups);
	t.deepEqual(shown.toSorted(), BENCH_GROUPS.toSorted());
	for (const { name, groups } of PLOTS)
		t.true(
			SECTIONS.some((section) => section.groups.includes(groups.at(-1)!)),
			name,
		);
});

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

test('property: an axis begins at 0, reaches the largest value, and has a few even steps', (t) => {
	fc.assert(
		fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), (most) => {
			const ticks = ticksTo(most);
			t.is(ticks[0], 0);
			t.true(ticks.at(-1)! >= most * (1 - 1e-8));
			t.true(ticks.length >= 3 && ticks.length <= 7, `${most}: ${ticks}`);
			for (const [n, tick] of ticks.entries()) t.true(Math.abs(tick - n * ticks[1]) <= tick * 1e-9);
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
