import test from 'ava';
import fc from 'fast-check';
import { type NumberKind, NumberReading } from '../../src/base/card/number.ts';

const reading = test.macro<[string, string, NumberKind?]>({
	exec(t, text, digits, kind = 'digits') {
		for (const bytes of [Buffer.from(text), Buffer.from(text, 'latin1')]) {
			// The digits and hyphens around the span must not be read.
			const around = Buffer.concat([Buffer.from('9-'), bytes, Buffer.from('-9')]);
			const read = new NumberReading().read(around, 2, 2 + bytes.length);
			t.is(read.kind, kind);
			if (kind === 'digits')
				t.deepEqual([read.digits.toString('latin1', 0, read.count), read.hasOtherCharacters], [digits, false]);
			if (kind === 'digits') t.is(read.isGrouped, text !== digits);
		}
	},
	title: (what) => `${what} is read as one number`,
});

const N = '4111111111111111';
test('digits alone', reading, N, N);
test('points between groups', reading, '4111.1111.1111.1111', N);
test('points between groups of Amex', reading, '3782.822463.10005', '378282246310005');
test('two blanks', reading, '4111  1111  1111  1111', N);
test('non-breaking blanks', reading, '4111\u00a01111\u00a01111\u00a01111', N);
test('tabs', reading, '4111\t1111\t1111\t1111', N);
test('a hyphen amid blanks', reading, '4111 - 1111 - 1111 - 1111', N);
test('a blank and a non-breaking one', reading, '4111 \u00a01111\u00a0 1111 1111', N);
test('digits masked by points', reading, '4111........1111', '', 'masked');
test('digits masked by X among points', reading, '4111.xxxx.xxxx.1111', '', 'masked');

test('spreadsheet notation with all digits', reading, '4.111111111111111E15', N);
test('spreadsheet notation with all digits of Amex', reading, '3.78282246310005E+14', '378282246310005');
test('spreadsheet notation without the last digit', reading, '4.11111111111111E+15', '', 'spreadsheet');
test('spreadsheet notation of fewer digits', reading, '4.11111E+5', '', 'spreadsheet');
test('digits masked by stars', reading, '411111******1111', '', 'masked');
test('eight digits and four, masked by stars', reading, '41111111****1111', '', 'masked');
test('a last group masked by stars', reading, '4111*1111*1111*11**', '', 'masked');

test('mask characters that hide nothing do not make a number masked', (t) => {
	const mistyped = '4111111111111112';
	const texts = ['4111*1111*1111*1111', '4111x1111x1111x1111', `****${N}`, `${N}****`, '3782#822463#10005'];
	for (const text of [...texts, `#${mistyped}`, `${mistyped}x`, `*${mistyped}*`, '4111*1111*1111*1112']) {
		const bytes = Buffer.from(text);
		const read = new NumberReading().read(bytes, 0, bytes.length);
		t.deepEqual([read.kind, read.hasOtherCharacters], ['digits', true], text);
	}
});

test('single mask characters beside digits that are no number of a brand make it masked', (t) => {
	for (const text of ['411111111111111X', 'x 411111111111111', '6759 64** **11 1111', '4111111111111112**']) {
		const bytes = Buffer.from(text);
		t.is(new NumberReading().read(bytes, 0, bytes.length).kind, 'masked', text);
	}
});

test('thin blanks and dashes of typography divide groups too', (t) => {
	for (const gap of ['\u2009', '\u202f', '\u2007', '\u3000', '\u2013', '\u2011', ' \u2013 ']) {
		const bytes = Buffer.from(['4111', '1111', '1111', '1111'].join(gap));
		const read = new NumberReading().read(bytes, 0, bytes.length);
		t.deepEqual([read.count, read.isGrouped, read.hasOtherCharacters], [16, true, false]);
	}
});

test('a separator that cannot stand between groups means that there is no number', (t) => {
	for (const text of [
		'4111--1111',
		'4111..1111',
		'4111/1111',
		'4111111111111111.0',
		'4111 a 1111',
		'-4111',
		'4111-',
		'4111. 11',
	]) {
		const bytes = Buffer.from(text);
		t.true(new NumberReading().read(bytes, 0, bytes.length).hasOtherCharacters, text);
	}
});

test('gaps change no digit, whatever they are', (t) => {
	const gap = fc.constantFrom('', ' ', '-', '\u00a0', '  ', '\t', '\u2009', ' - ');
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.stringMatching(/^\d{4}$/), gap), { minLength: 3, maxLength: 5 }), (groups) => {
			const bytes = Buffer.from(
				groups.map(([digits, sign], i) => digits + (i + 1 < groups.length ? sign : '')).join(''),
			);
			const read = new NumberReading().read(bytes, 0, bytes.length);
			const digits = groups.map(([group]) => group).join('');
			if (bytes.length === 32) return;
			if (read.hasOtherCharacters || read.digits.toString('latin1', 0, read.count) !== digits) throw new Error(digits);
		}),
	);
	t.pass();
});
