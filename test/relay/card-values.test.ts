// A text that is nothing but a number is taken as a whole without a search, which must change nothing.

import test from 'ava';
import fc from 'fast-check';
import { EXPIRY_ABSENT } from '../../src/base/card/expiry.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import { findNumbers } from '../../src/work/relay/card-values.ts';

const DIGITS = fc.stringMatching(/^[1-9]\d{0,18}$/);
const CARDS = fc
	.stringMatching(/^(4|5[1-5]|3[47]|6011|62|35)\d{9,13}$/)
	.map((digits) => Array.from('0123456789', (last) => digits + last))
	.map((numbers) => numbers.find((number) => passesLuhn(Buffer.from(number), 0, number.length))!);

test('a number alone is found as it is found with a blank before it', (t) => {
	fc.assert(
		fc.property(fc.oneof(DIGITS, CARDS), (text) => {
			const alone = { isSpelled: false, expiry: EXPIRY_ABSENT, type: undefined, code: undefined };
			t.deepEqual(findNumbers(text), [{ start: 0, end: text.length, ...alone }]);
			const [searched, ...others] = findNumbers(` ${text}`);
			t.deepEqual({ ...searched, start: 0 }, { start: 0, end: text.length + 1, ...alone });
			t.deepEqual(others, []);
		}),
	);
});
