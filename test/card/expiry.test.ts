import test from 'ava';
import fc from 'fast-check';
import { EXPIRY_FORMATS, type ExpiryFormat, readExpiry, readMonthAndYear } from '../../src/base/card/expiry.ts';
import type { ReadingRule } from '../../src/base/card/names/placeholders.ts';

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

function fields(month: string, year: string, rule?: ReadingRule) {
	const bytes = Buffer.from(month + year);
	const yearStart = Buffer.byteLength(month);
	return readMonthAndYear(bytes, 0, yearStart, yearStart, bytes.length, rule);
}

test('a placeholder is no expiry in files, and cannot be read in calls', (t) => {
	const strict = (text: string) => readExpiry(Buffer.from(text), 0, Buffer.byteLength(text), undefined, 'strict');
	for (const text of [
		...[
			'NULL',
			'N/A',
			'n.a.',
			'-',
			'--',
			'none',
			'\\N',
			'TBA',
			'k. A.',
			's/n',
			'?',
			'***',
			'XXX',
			'XX/XX',
			'#N/A',
			"'-'",
		],
		...['0', '00', '000', '0000', '00/00', '00/0000', '0000-00', '000000', '00000000', '0000-00-00 00:00:00'],
		...['0000-00-00T00:00:00', '9999', '99/99', '99/9999', '9999-12-31', '31.12.9999', '99991231', '12/9999'],
	]) {
		t.deepEqual([text, read(text), strict(text)], [text, 0, -1]);
	}
	for (const format of EXPIRY_FORMATS) t.deepEqual([read('0000', format), read('00/00', format)], [0, 0]);
});

test('the first day that a program knows is no expiry in files', (t) => {
	for (const text of [
		...['0001-01-01T00:00:00', '01/01/0001', '1899-12-30', '30.12.1899', '1900-01-01 00:00', '1/0/1900', '1 Jan 1900'],
		...['1970-01-01', '01/1970', '1970-01', '19700101'],
	]) {
		t.deepEqual([text, read(text)], [text, 0]);
	}
	t.deepEqual([read('01/01'), read('0170'), read('12/1999'), read('0101')], [200101, 207001, 199912, 200101]);
});

test('half an expiry is none that can be read', (t) => {
	for (const text of ['12/XX', 'XX/29', '12/--', '00/29', '12/N/A', 'N/A 29'])
		t.deepEqual([text, read(text)], [text, -1]);
	t.deepEqual([fields('12', 'N/A'), fields('N/A', '29'), fields('12', '0'), fields('00', '2029')], [-1, -1, -1, -1]);
});

test('placeholders for month and year are no expiry in files, and cannot be read in calls', (t) => {
	for (const [month, year] of [
		...['N/A', '0', '00', '--', 'NULL', 'XX', '?', 'keine'].map((each) => [each, each]),
		...[
			['00', '0000'],
			['XX', 'XXXX'],
			['', 'N/A'],
			['0', ''],
			['99', '99'],
			['99', '9999'],
			['12', '9999'],
			['1', '1900'],
		],
	]) {
		t.deepEqual([month, year, fields(month, year)], [month, year, 0]);
		t.true(fields(month, year, 'strict') < 200_200 && fields(month, year, 'strict') !== 0);
	}
	t.is(fields('12', '99'), 209912);
});

test('a month field holds a number or a name', (t) => {
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
	t.is(read('200001', 'YYYYMM'), 200_001, 'no month is before a year 0001 here');
	t.is(read('010001'), 0, 'the year 0001 stands for no date');
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
