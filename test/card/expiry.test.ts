import test from 'ava';
import fc from 'fast-check';
import { EXPIRY_FORMATS, type ExpiryFormat, readExpiry, readMonthAndYear } from '../../src/card/expiry.ts';

function read(text: string, format?: ExpiryFormat, encoding: BufferEncoding = 'utf8'): number {
	const bytes = Buffer.from(text, encoding);
	// The digits around the span must not be read.
	return readExpiry(Buffer.concat([Buffer.from('1'), bytes, Buffer.from('2')]), 1, 1 + bytes.length, format);
}

const december = test.macro<string[]>({
	exec(t, ...texts) {
		for (const text of texts) {
			t.deepEqual([text, read(text)], [text, 202912]);
			t.deepEqual([text, read(text, undefined, 'latin1')], [text, 202912]);
		}
	},
	title: (what) => `December 2029 is read from ${what}`,
});

test(
	'four digits and their separators',
	december,
	'1229',
	'12/29',
	'12-29',
	'12.29',
	'12 29',
	'12 / 29',
	' 12/29\u00a0',
	'12_29',
);
test('a year of four digits', december, '122029', '12/2029', '12.2029', '2029/12', '2029-12', '202912');
test(
	'a date written out',
	december,
	'2029-12-31',
	'31.12.2029',
	'31/12/2029',
	'12/31/2029',
	'20291231',
	'31122029',
	'1.12.29',
);
test('the first of the month', december, '01/12/2029', '12/01/2029', '2029-12-01', '12/31/29', '29-12-31');
test('a date with a time', december, '2029-12-31T00:00:00Z', '2029-12-31 00:00', '12/31/2029 12:00:00 AM');
test(
	'a month by name',
	december,
	'Dec-29',
	'DEC 2029',
	'December 2029',
	'dez. 2029',
	'29-Dec',
	'29DEC',
	"Dec '29",
	'dic/29',
);
test(
	'a name amid a date',
	december,
	'31 Dec 2029',
	'31. Dezember 2029',
	'31 de diciembre de 2029',
	'December 31, 2029',
	'31DEC29',
);
test('accents', december, 'décembre 2029', 'déc-29', '31 DÉCEMBRE 2029');
test('the day as a spreadsheet counts it', december, '47483', '47453');

test('months have names in six languages', (t) => {
	const months = [
		'janvier',
		'Feb',
		'März',
		'avril',
		'maggio',
		'junho',
		'juillet',
		'août',
		'settembre',
		'Okt',
		'nov',
		'dicembre',
	];
	for (const [index, name] of months.entries()) t.is(read(`${name} 29`), 202901 + index, name);
	t.is(read('jui 29'), -1);
});

test('a spreadsheet takes a zero off', (t) => {
	t.deepEqual(
		['129', '1/29', '12029', '1/2029'].map((text) => read(text)),
		[202901, 202901, 202901, 202901],
	);
});

test('a day and a month that may be either make no date, unless the format says', (t) => {
	t.is(read('05/06/2029'), -1);
	t.is(read('05/06/2029', 'DD/MM/YYYY'), 202906);
	t.is(read('05/06/2029', 'MM/DD/YYYY'), 202905);
	t.is(read('05.06.2029'), 202906);
	t.is(read('01/01/2029'), 202901);
});

test('a format decides between two readings', (t) => {
	t.is(read('1210'), 201012);
	t.is(read('2912', 'YYMM'), 202912);
	t.is(read('2912'), -1);
	t.is(read('202912', 'MMYYYY'), -1);
});

test('what is no expiry cannot be read', (t) => {
	for (const text of [
		'soon',
		'13/29',
		'2029',
		'12/',
		'12//29',
		'1229-',
		'30.02.2029',
		'12:30',
		'99999',
		'36525',
		'Dec',
		'/1229',
		'123456789',
	]) {
		t.deepEqual([text, read(text)], [text, -1]);
	}
	t.deepEqual([read(''), read('  ')], [0, 0]);
});

test('a month field holds a number or a name', (t) => {
	const fields = (month: string, year: string) => {
		const bytes = Buffer.from(month + year);
		return readMonthAndYear(
			bytes,
			0,
			bytes.length - Buffer.byteLength(year),
			bytes.length - Buffer.byteLength(year),
			bytes.length,
		);
	};
	t.deepEqual([fields('12', '29'), fields('Dec.', '2029'), fields(' décembre ', '29')], [202912, 202912, 202912]);
	t.deepEqual(
		[fields('', ''), fields('', '29'), fields('12', ''), fields('soon', '29'), fields('13', '29')],
		[0, -1, -1, -1, -1],
	);
});

test('every month written in any format is read back in it', (t) => {
	const written: Record<ExpiryFormat, (m: string, y: string) => string> = {
		MMYY: (m, y) => m + y.slice(2),
		'MM/YY': (m, y) => `${m}/${y.slice(2)}`,
		'MM/YYYY': (m, y) => `${m}/${y}`,
		MMYYYY: (m, y) => m + y,
		YYMM: (m, y) => y.slice(2) + m,
		'YYYY-MM': (m, y) => `${y}-${m}`,
		YYYYMM: (m, y) => y + m,
		'DD/MM/YYYY': (m, y) => `02/${m}/${y}`,
		'MM/DD/YYYY': (m, y) => `${m}/02/${y}`,
	};
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 12 }),
			fc.integer({ min: 2000, max: 2099 }),
			fc.constantFrom(...EXPIRY_FORMATS),
			(m, y, format) => {
				const text = written[format](String(m).padStart(2, '0'), String(y));
				if (read(text, format) !== y * 100 + m) throw new Error(`${text} as ${format}`);
			},
		),
	);
	t.pass();
});

test('any bytes give a month or none', (t) => {
	fc.assert(
		fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
			const expiry = readExpiry(bytes, 0, bytes.length);
			if (expiry > 0 && (expiry % 100 < 1 || expiry % 100 > 12)) throw new Error(String(expiry));
		}),
	);
	t.pass();
});
