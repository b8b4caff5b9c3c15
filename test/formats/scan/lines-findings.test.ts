import test from 'ava';
import fc from 'fast-check';
import { LineFindings } from '../../../formats/scan/lines/findings.ts';
import { Findings } from '../../../src/engine/format.ts';

test('findings of a line are in order, whatever the order they were added in', (t) => {
	const starts = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 30 });
	fc.assert(
		fc.property(starts, starts, (before, added) => {
			const found = new Findings();
			for (const start of before) new LineFindings().begin(found, 1, 1).add(start, start + 1, 0, 0, 0);
			const line = new LineFindings().begin(found, 7, 9);
			for (const start of added) line.add(start * 2, start * 2 + 2, 202912, start, start + 2);
			line.sort();
			const sorted = [...added].sort((a, b) => a - b);
			t.is(line.count, added.length);
			t.deepEqual(
				found.items.slice(0, found.length).map(({ numberStart }) => numberStart),
				[...before, ...sorted.map((start) => start * 2)],
			);
			for (const [index, start] of sorted.entries()) {
				const { numberEnd, expiry, typeStart, typeEnd, record, line: lineNumber } = line.at(index);
				t.deepEqual([numberEnd, expiry, typeStart, typeEnd], [start * 2 + 2, 202912, start, start + 2]);
				t.deepEqual([record, lineNumber], [7, 9]);
				t.is(line.countBefore(start * 2), index);
				t.is(line.countBefore(start * 2 + 1), index + 1);
				t.is(line.findOverlap(start * 2 + 1, start * 2 + 2), line.at(index));
				t.is(line.findOverlap(start * 2, start * 2 + 1), line.at(index));
			}
			for (let at = 0; at <= 402; at += 2) {
				if (!added.includes(at / 2)) t.is(line.findOverlap(at, at + 2), undefined);
			}
		}),
		{ numRuns: 200 },
	);
});

test('the last finding counts as found before it is sorted in', (t) => {
	const line = new LineFindings().begin(new Findings(), 1, 1);
	line.add(50, 66, 0, 0, 0);
	line.sort();
	const last = line.add(10, 26, 0, 0, 0);
	t.is(line.findOverlap(25, 30), last);
	t.is(line.findOverlap(26, 50), undefined);
	t.is(line.findOverlap(26, 51), line.at(0));
});

test('findings are taken back without touching those of other lines', (t) => {
	const found = new Findings();
	new LineFindings().begin(found, 1, 1).add(1, 2, 0, 0, 0);
	const line = new LineFindings().begin(found, 1, 2);
	for (const start of [10, 20, 30, 40]) line.add(start, start + 5, 0, 0, 0);
	line.sort();
	line.filter(({ numberStart }) => numberStart % 20 === 0);
	t.is(line.count, 2);
	t.deepEqual(
		found.items.slice(0, found.length).map(({ numberStart }) => numberStart),
		[1, 20, 40],
	);
	t.is(line.findOverlap(40, 41), line.at(1));
	t.is(new Set(found.items).size, found.items.length);
});

test('a line must be begun', (t) => {
	t.throws(() => new LineFindings().count, { message: /internal error/ });
});
