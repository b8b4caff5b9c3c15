// Tests drawings of runs: they are well-formed and have every label and value, and the page says what its run says.

import test from 'ava';
import fc from 'fast-check';
import { SECTIONS } from '../../../bench/plot/page.ts';
import { PLOTS } from '../../../bench/plot/plots.ts';
import { ticksTo } from '../../../bench/plot/scale.ts';
import { figuresOf } from '../../../bench/run-file.ts';
import { BENCH_GROUPS } from '../../../src/commands/installation/bench.ts';
import { small, textsOf } from './plot.setup.ts';

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
