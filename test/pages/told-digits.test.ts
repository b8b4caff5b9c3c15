import test from 'ava';
import fc from 'fast-check';
import { openToldDigits } from '../../src/base/pages/assets/told-digits.js';

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 19 });

test('the BIN has six digits, and eight of a long number at its end; the last four come with the end', (t) => {
	const tell = openToldDigits();
	t.deepEqual(tell('41111', false), { bin: null, lastFour: null });
	t.deepEqual(tell('411111', false), { bin: '411111', lastFour: null });
	t.deepEqual(tell('41111111111111', false), { bin: '411111', lastFour: null });
	t.deepEqual(tell('4111111111111111', false), { bin: '411111', lastFour: null });
	t.deepEqual(tell('4111111111111111', true), { bin: '41111111', lastFour: '1111' });
	t.deepEqual(tell('4111111111111111', true), { bin: '41111111', lastFour: '1111' });
	t.deepEqual(tell('378282246310005', true), { bin: '378282', lastFour: '0005' });
	t.deepEqual(tell('5555555555554444', true), { bin: '55555555', lastFour: '4444' });
});

test('while a number is typed, corrected and left at any point, at most its first eight and four more digits are told', (t) => {
	fc.assert(
		fc.property(digits, fc.array(fc.tuple(fc.nat(19), fc.boolean())), (number, steps) => {
			const tell = openToldDigits();
			const known = new Set<number>();
			for (const [length, isSure] of [...steps, [19, true] as const]) {
				const typed = number.slice(0, length);
				const { bin, lastFour } = tell(typed, isSure);
				for (let at = 0; at < (bin ?? '').length; at++) known.add(at);
				if (lastFour !== null) for (let at = typed.length - 4; at < typed.length; at++) known.add(at);
			}
			t.true(known.size <= 12, `${known.size} digits of ${number.length}`);
		}),
	);
});
