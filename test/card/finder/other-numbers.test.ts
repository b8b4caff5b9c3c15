import test from 'ava';
import fc from 'fast-check';
import { NumberPlaces } from '../../../src/base/card/finder/number-places.ts';
import { NumberRuns } from '../../../src/base/card/finder/number-runs.ts';
import { OtherNumbers } from '../../../src/base/card/finder/other-numbers.ts';
import { runs } from '../../helpers/runs.ts';

const VISA = '4111111111111111';

/** Returns the numbers found, as they are spelled. */
function found(text: string, encoding: BufferEncoding = 'utf8'): string[] {
	const bytes = Buffer.from(text, encoding);
	const places = new NumberPlaces();
	new OtherNumbers().find(bytes, 0, bytes.length, places);
	return Array.from({ length: places.count }, (_, i) => bytes.toString(encoding, places.starts[i], places.ends[i]));
}

const finds = test.macro({
	exec(t, text: string, numbers: readonly string[], encoding?: BufferEncoding) {
		t.deepEqual(found(text, encoding), numbers);
	},
	title: (name) => name ?? '',
});

test('a number alone', finds, VISA, [VISA]);
test('numbers between other text', finds, `x ${VISA},${VISA};`, [VISA, VISA]);
test('a number glued to letters', finds, `FPVI${VISA}X`, [VISA]);
test('a number in blanks', finds, 'card 4111 1111 1111 1111 ok', ['4111 1111 1111 1111']);
test('a number in hyphens', finds, 'card:4111-1111-1111-1111;', ['4111-1111-1111-1111']);
test('a number in points', finds, 'card 4111.1111.1111.1111.', ['4111.1111.1111.1111']);
test('a number in double blanks', finds, '4111  1111  1111  1111', ['4111  1111  1111  1111']);
test('a number in blanks around hyphens', finds, '4111 - 1111 - 1111 - 1111', ['4111 - 1111 - 1111 - 1111']);
test('American Express as it is printed', finds, 'AX 3782 822463 10005 EXP', ['3782 822463 10005']);
test('UATP as it is printed', finds, 'P-FP/TP 1354 12345 678911', ['1354 12345 678911']);
test('a number in odd groups when nothing else stands in its run', finds, 'no. 411111 111111 1111, ok', [
	'411111 111111 1111',
]);
const SINGLY = [...VISA].join(' ');
test('a number digit by digit', finds, `card ${SINGLY}, ok`, [SINGLY]);
for (const behind of [' 12/29', ' 1229 123', ' 12-29', ' 12 29 123', '/1229']) {
	test(`a number digit by digit before its expiry: ${behind}`, finds, `card ${SINGLY}${behind}`, [SINGLY]);
	test(`a number two by two before its expiry: ${behind}`, finds, `41 11 11 11 11 11 11 11${behind}`, [
		'41 11 11 11 11 11 11 11',
	]);
}
test('not digits one by one before others', finds, `${SINGLY} 7 9, ${SINGLY} 99/29, ${SINGLY} 12/99`, []);
test('a number of 13 digits as it was printed', finds, 'Visa 4222-222-222-222 09/29', ['4222-222-222-222']);
test('a number in two groups amid other digits', finds, 'pay 378282-246310005 0329, 3. 424242 4242424242 ok', [
	'378282-246310005',
	'424242 4242424242',
]);
test('a number behind the expiry of another', finds, `${VISA} 12 29 ${VISA}`, [VISA, VISA]);
test('a printed number amid other groups', finds, '12 29 4111 1111 1111 1111 978 00', ['4111 1111 1111 1111']);
test('a number whose code makes a number masked with zeros of it', finds, 'card 6304 0000 0000 0000 067', [
	'6304 0000 0000 0000',
]);
test('an amount in cents behind a point', finds, `${VISA}.00`, [VISA]);
test('non-breaking blanks in UTF-8', finds, 'x 4111\u00a01111\u00a01111\u00a01111', [
	'4111\u00a01111\u00a01111\u00a01111',
]);
test(
	'non-breaking blanks in Latin-1',
	finds,
	'\xe4 4111\xa01111\xa01111\xa01111',
	['4111\xa01111\xa01111\xa01111'],
	'latin1',
);
test('narrow blanks and long hyphens', finds, '4111\u20091111\u20131111\u202f1111', [
	'4111\u20091111\u20131111\u202f1111',
]);
test('full-width digits', finds, `番号${wide(VISA, 0xff10)}です`, [wide(VISA, 0xff10)]);
test('Arabic digits', finds, `رقم ${wide(VISA, 0x660)}`, [wide(VISA, 0x660)]);
test('Devanagari digits in groups', finds, wide('4111 1111 1111 1111', 0x966), [wide('4111 1111 1111 1111', 0x966)]);
test('digits beyond the first plane', finds, wide(VISA, 0x1d7ce), [wide(VISA, 0x1d7ce)]);
test('a number of 19 digits', finds, '4111111111111111110', ['4111111111111111110']);

test('not a number that fails the check digit', finds, '4111111111111112', []);
test('not a number of no brand', finds, '9999999999999999', []);
test('not a part of a longer number', finds, `${VISA}${VISA}`, []);
test('not twelve digits', finds, '411111111111', []);
test('not the digits of a fraction', finds, `0.${VISA} 48.${VISA}`, []);
test('not a ticket number with a hyphen', finds, 'T-K618-5262536756', []);
test('not a phone number', finds, '+4222222222222', []);
test('not a hash', finds, `9e107d9d${VISA}3542a419`, []);
test('not an IBAN', finds, 'GB33 BUKB 2020 1555 5555 55, GB94BARC10201530093459, DE75512108001245126199', []);
test('an IBAN whose check digits fail may hide a number', finds, `DE00 ${VISA} 11`, [VISA]);
test('not a short Maestro number, which may be a ticket', finds, '6180000000010', []);

function wide(text: string, zero: number): string {
	return text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

test('a number is found wherever it stands amid text that holds none', (t) => {
	const filler = fc.array(
		fc.constantFrom('a', 'Z', ' ', ', ', '\n', '-', '.', 'é', '漢', '\u00a0', '12', '2026-11-22', '/'),
		{
			maxLength: 40,
		},
	);
	const spelled = fc.constantFrom(VISA, '4111 1111 1111 1111', '3782-822463-10005', wide(VISA, 0xff10));
	fc.assert(
		fc.property(filler, spelled, filler, (before, number, after) => {
			const text = `${before.join('')};${number};${after.join('')}`;
			t.true(found(text).includes(number), text);
		}),
		{ numRuns: runs(2000) },
	);
});

test('a number that is found is found again in the same bytes at any other place', (t) => {
	const parts = fc.array(
		fc.constantFrom(VISA, '4111 1111 1111 1111', '1', '22', '4', ' ', '-', '.', 'A', 'f', '\n', '\u00a0'),
		{
			maxLength: 60,
		},
	);
	fc.assert(
		fc.property(parts, fc.nat(40), (list, shift) => {
			const text = list.join('');
			t.deepEqual(found(`${'x'.repeat(shift)}\n${text}\n`), found(`${text}\n`));
		}),
		{ numRuns: runs(2000) },
	);
});

test('the same numbers are found with the runs of a window as without them, wherever a stretch of it begins and ends', (t) => {
	const signs = [
		' ',
		'-',
		'.',
		'/',
		',',
		';',
		'~',
		'\t',
		' - ',
		'\u00a0',
		'\u00b7',
		'\u2019',
		'\n',
		'x',
		'\\',
		'\u0664',
	];
	const number = fc
		.tuple(fc.constantFrom(VISA, '378282246310005', '6304000000000000', '4222222222222'), fc.constantFrom('', ...signs))
		.chain(([digits, sign]) =>
			fc.constantFrom(1, 3, 4, 5).map((length) => digits.match(new RegExp(`.{1,${length}}`, 'g'))!.join(sign)),
		);
	const other = fc.constantFrom(
		...signs,
		'0',
		'1229',
		'12/29 123',
		'261120;261120',
		'00000000',
		'ABCDEF0123456789ABCDEF',
		'CVV',
	);
	const text = fc.array(fc.oneof(number, other, fc.nat().map(String)), { maxLength: 12 });
	fc.assert(
		fc.property(
			text,
			fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
			(list, at) => {
				const bytes = Buffer.from(list.join(''));
				const [from, start, end, to] = at.map((part) => Math.round(part * bytes.length)).sort((a, b) => a - b);
				const found = (runs?: NumberRuns) => {
					const places = new NumberPlaces();
					new OtherNumbers().find(bytes, start, end, places, runs);
					return Array.from({ length: places.count }, (_, i) => [places.starts[i], places.ends[i], places.kinds[i]]);
				};
				t.deepEqual(found(new NumberRuns().begin(bytes, from, to)), found(), bytes.toString('latin1', start, end));
			},
		),
		{ numRuns: runs(20_000) },
	);
});

test('a number in groups behind hexadecimal digits is found at any place, although its first group may end a token', (t) => {
	const hex = 'ABCDEFABCDEFABCDEFABCDEFABCDEF';
	for (let shift = 0; shift < 13; shift++) {
		const text = `${'x'.repeat(shift)}${hex}4111^1111^1111^1111ii_____779`;
		t.deepEqual(found(text), ['4111^1111^1111^1111'], `behind ${shift}`);
	}
});

test('a run of any length is read to its end, in a time that grows with it alone', (t) => {
	const many = `${'1234 '.repeat(100_000)}4111 1111 1111 1111 ${'1 '.repeat(100_000)}`;
	const began = performance.now();
	t.true(found(many).includes('4111 1111 1111 1111'));
	t.deepEqual(found('1'.repeat(1_000_000)), []);
	t.true(performance.now() - began < 5000);
});
