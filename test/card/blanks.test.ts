import test from 'ava';
import fc from 'fast-check';
import { trimmed, valueEnd, valueStart } from '../../src/base/card/spelling/blanks.ts';

const INVISIBLE = '\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202c\u202e\u2060\u2066\u2069\ufeff';
const around = fc.string({ unit: fc.constantFrom(...` \t\n\u00a0\u2009\u202f\u3000${INVISIBLE}`) });
const inside = fc.constantFrom('x', '4111', 'à', 'í', '\u20ac', 'a b', '4111\u200b1111', '漢', 'Ж', '🂡');

test('blanks and invisible characters around a text are left out, and its letters are kept whole', (t) => {
	fc.assert(
		fc.property(around, inside, around, (before, text, behind) => {
			t.is(trimmed(Buffer.from(before + text + behind)).toString(), text);
			t.is(trimmed(Buffer.from(before + behind)).length, 0);
		}),
	);
});

test('in Latin-1 a non-breaking blank and a soft hyphen are around a text too', (t) => {
	t.is(trimmed(Buffer.from('\xa0\xad4111\xad\xa0', 'latin1')).toString('latin1'), '4111');
	const cut = Buffer.from('\xa04111\xa0', 'latin1');
	t.deepEqual([valueStart(cut, 1, 5), valueEnd(cut, 1, 5)], [1, 5], 'bytes outside the range do not count');
});
