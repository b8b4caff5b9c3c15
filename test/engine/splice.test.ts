import test from 'ava';
import fc from 'fast-check';
import { Edits } from '../../src/engine/splice.ts';

/** Generates a text and replacements in it, which do not overlap. */
const cases = fc
	.tuple(
		fc.uint8Array({ maxLength: 400 }),
		fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.uint8Array({ maxLength: 40 }))),
	)
	.map(([source, steps]) => {
		const edits: { start: number; end: number; bytes: Uint8Array }[] = [];
		let at = 0;
		for (const [gap, length, bytes] of steps) {
			const start = at + gap;
			const end = start + length;
			if (end > source.length) break;
			edits.push({ start, end, bytes });
			at = end + 1;
		}
		return { source: Buffer.from(source), edits };
	});

test('any set of replacements gives what string surgery gives, in whatever order they were added', (t) => {
	fc.assert(
		fc.property(cases, fc.integer(), ({ source, edits }, seed) => {
			const expected: Buffer[] = [];
			let read = 0;
			for (const { start, end, bytes } of edits) {
				expected.push(source.subarray(read, start), Buffer.from(bytes));
				read = end;
			}
			expected.push(source.subarray(read));
			const shuffled = [...edits].sort((a, b) => ((a.start * seed) % 7) - ((b.start * seed) % 7));
			const all = new Edits();
			for (const { start, end, bytes } of shuffled) all.replace(start, end, bytes);
			t.deepEqual(all.apply(source, 0, source.length), Buffer.concat(expected));
		}),
	);
});

test('an object serves window after window, and grows past its first size', (t) => {
	const edits = new Edits();
	const source = Buffer.alloc(10_000, 'a');
	for (let round = 0; round < 3; round++) {
		edits.clear();
		for (let at = 0; at < 5000; at++) edits.replace(at * 2, at * 2 + 1, Buffer.alloc(40, 'b'));
		const output = edits.apply(source, 0, source.length);
		t.is(output.length, 5000 * 41);
		t.is(output.subarray(0, 42).toString(), `${'b'.repeat(40)}ab`);
	}
});

test('only the asked-for part of the source goes out', (t) => {
	const edits = new Edits();
	edits.replace(3, 4, Buffer.from('XY'));
	t.is(edits.apply(Buffer.from('0123456789'), 2, 6).toString(), '2XY45');
});

test('overlapping replacements are a bug and are said to be', (t) => {
	const edits = new Edits();
	edits.replace(2, 6, Buffer.from('x'));
	edits.replace(4, 8, Buffer.from('y'));
	t.throws(() => edits.apply(Buffer.alloc(10), 0, 10), { message: /internal error/ });
});
