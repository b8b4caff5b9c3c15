import test from 'ava';
import fc from 'fast-check';
import { isInLongRun, longRunsAt, REACH, RUN } from '../../../src/base/card/finder/number-probe.ts';

const INSIDE = [...`0123456789 -./_,*:+=~'|;\t`, '\u0664', '\u00b7', '\u2019', '\u00a0'];
const OUTSIDE = [...'aZ"\n#(<&@', '\r'];
const text = (characters: string[], lengths: { minLength?: number; maxLength: number }) =>
	fc.array(fc.constantFrom(...characters), lengths).map((each) => each.join(''));

test('every byte of a run of 13 bytes or more is taken for one that may be inside a number, whatever stands around it', (t) => {
	const around = text([...INSIDE, ...OUTSIDE], { maxLength: 20 });
	fc.assert(
		fc.property(around, text(INSIDE, { minLength: 13, maxLength: 30 }), around, (before, run, behind) => {
			const room = 'a'.repeat(REACH);
			const start = Buffer.byteLength(room + before);
			const bytes = Buffer.from(room + before + run + behind + room);
			for (let at = start; at < start + Buffer.byteLength(run); at++) if (!isInLongRun(bytes, at)) return false;
			return true;
		}),
		{ numRuns: 2000 },
	);
	t.pass();
});

test('a short run and a byte outside of runs are passed over', (t) => {
	const passed = (line: string, sign: string) => {
		const bytes = Buffer.from(line);
		return !isInLongRun(bytes, bytes.indexOf(sign));
	};
	t.true(passed('the guest of room 4711 leaves', '7'));
	t.true(passed('the guest of room 4711 leaves', 'm'));
	t.true(passed('Visa,4242,late arrival', '2'));
	t.false(passed('Visa,4111 1111 1111 1111,late', '4'));
});

test('in text of lines, a run may have line ends in it', (t) => {
	const bytes = Buffer.from(`${'a'.repeat(REACH)}4111 1111\n  1111 1111${'a'.repeat(REACH)}`);
	const at = bytes.indexOf('\n');
	t.is(longRunsAt(bytes, at), RUN.LINES);
	t.is(longRunsAt(bytes, at - 1) & RUN.LINES, RUN.LINES);
});
