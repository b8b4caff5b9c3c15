import test from 'ava';
import fc from 'fast-check';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { readCvv, withLostZeros } from '../../src/base/card/cvv.ts';
import type { ReadingRule } from '../../src/base/card/names/placeholders.ts';

function read(text: string, rule: ReadingRule = 'lenient') {
	const bytes = Buffer.from(text);
	// The bytes around the field must not be read.
	return readCvv(Buffer.concat([Buffer.from('1'), bytes, Buffer.from('2')]), 1, 1 + bytes.length, rule);
}

test('three or four digits are a CVV by either rule, also zeros, and stars are none', (t) => {
	for (const rule of ['lenient', 'strict'] as const) {
		for (const text of ['123', '0123', '000', '0000', ' 999 ']) t.is(read(text, rule), 'readable');
		for (const text of ['*', '***', '****']) t.is(read(text, rule), 'starred');
		for (const text of ['', '  ']) t.is(read(text, rule), 'absent');
		for (const text of ['12345', '12a', '1 2', '12.5', '-12', '١٢٣', 'abc']) t.is(read(text, rule), 'malformed');
	}
});

test('one or two digits are a CVV without its leading zeros in files, and malformed in calls', (t) => {
	for (let code = 1; code < 100; code++) {
		t.deepEqual([read(String(code)), read(String(code), 'strict')], ['short', 'malformed']);
	}
	t.deepEqual([read(' 7 '), read('07')], ['short', 'short']);
});

test('a placeholder is no CVV in files, and malformed in calls', (t) => {
	for (const text of ['NULL', 'N/A', '-', '--', 'none', '\\N', '0', '00', '00000', 'XXX', '?', '#N/A', 'k.A.', '""']) {
		t.deepEqual([text, read(text), read(text, 'strict')], [text, 'absent', 'malformed']);
	}
});

test('lost zeros make three digits, and four for American Express', (t) => {
	const zeros = (digits: string, brand: 'Visa' | 'AMEX' | 'Unspecified') =>
		withLostZeros(Buffer.from(digits), CARD_TYPES.indexOf(brand)).toString();
	t.deepEqual([zeros('12', 'Visa'), zeros('7', 'Unspecified')], ['012', '007']);
	t.deepEqual([zeros('12', 'AMEX'), zeros('7', 'AMEX')], ['0012', '0007']);
});

test('any bytes have one reading, and the rule for calls accepts no more than that for files', (t) => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
			const [lenient, strict] = [readCvv(bytes, 0, bytes.length, 'lenient'), readCvv(bytes, 0, bytes.length, 'strict')];
			if (strict !== 'malformed' && strict !== lenient) throw new Error(`${strict} and ${lenient}`);
		}),
	);
	t.pass();
});
