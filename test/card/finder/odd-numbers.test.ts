// Checks that card numbers are found in odd spellings: signs between the groups, zeros in front, floating-point notation,
// an expiry right behind, items of a numbered list.

import { isIPv6 } from 'node:net';
import test from 'ava';
import fc from 'fast-check';
import { NumberPlaces, PLACE } from '../../../src/base/card/finder/number-places.ts';
import { OtherNumbers } from '../../../src/base/card/finder/other-numbers.ts';
import { runs } from '../../helpers/runs.ts';

const VISA = '4111111111111111';
const AMEX = '378282246310005';

/** Returns the numbers found, as they are spelled, each with a `!` in front if it can only be reported. */
function found(text: string, hasLists = false): string[] {
	const bytes = Buffer.from(text);
	const places = new NumberPlaces();
	new OtherNumbers(hasLists).find(bytes, 0, bytes.length, places);
	return Array.from({ length: places.count }, (_, i) => {
		return (places.kinds[i] === PLACE.TOLD ? '!' : '') + bytes.toString('utf8', places.starts[i], places.ends[i]);
	});
}

const finds = test.macro({
	exec(t, text: string, numbers: readonly string[], hasLists?: boolean) {
		t.deepEqual(found(text, hasLists), numbers);
	},
	title: (name) => name ?? '',
});

const INLINE = ['/', '_', '*', '+', '=', '~', ':', "'", '\u00b7', '\u2212', '\u2019', '    ', ' / ', ' * '];
const DIVIDERS = [',', ';', '|', '\t', ', ', ' | '];
const PRINTED = ['4111 1111 1111 1111', '3782 822463 10005', '3056 930902 5904', '4111 1111 1111 1111 110'];

test('a number in its own groups is found with any sign between them, at any place amid other text', (t) => {
	const filler = fc.array(fc.constantFrom('a', 'Z', ' ', '\n', '-', '.', 'é', '漢', '12', '2026-11-22', '/x', 'VI'), {
		maxLength: 20,
	});
	fc.assert(
		fc.property(
			filler,
			fc.constantFrom(...PRINTED),
			fc.constantFrom(...INLINE, ...DIVIDERS),
			filler,
			(before, number, sign, after) => {
				const divided = number.replaceAll(' ', sign);
				const told = (DIVIDERS.includes(sign) ? '!' : '') + divided;
				const text = `${before.join('')}(${divided})${after.join('')}`;
				t.true(found(text).includes(told), text);
			},
		),
		{ numRuns: runs(5000) },
	);
});

test(
	'a divided number and plain ones side by side are all found, and none twice',
	finds,
	`${VISA} 4111/1111/1111/1111 ${VISA}`,
	[VISA, '4111/1111/1111/1111', VISA],
);
test('divided numbers one after the other', finds, '4111/1111/1111/1111 12/29 3782*822463*10005', [
	'4111/1111/1111/1111',
	'3782*822463*10005',
]);
test('thousands as Excel writes them', finds, '"4,111,111,111,111,111";378,282,246,310,005', [
	'!4,111,111,111,111,111',
	'!378,282,246,310,005',
]);
test('thousands as the Swiss write them', finds, "4'111'111'111'111'111 378’282’246’310’005", [
	"4'111'111'111'111'111",
	'378’282’246’310’005',
]);
test(
	'a divided number beside others that are divided by the same sign',
	finds,
	`${VISA}/4111/1111/1111/1111/5555555555554444 4,111,111,111,111,111/4111/1111/1111/1111/3782/822463/10005/${AMEX}`,
	[
		...[VISA, '4111/1111/1111/1111', '5555555555554444', '!4,111,111,111,111,111'],
		...['4111/1111/1111/1111', '3782/822463/10005', AMEX],
	],
);
test(
	'a divided number before its expiry and security code',
	finds,
	'4111/1111/1111/1111/1229 5555_5555_5555_4444_12_29_123, 3782,822463,10005,06,2031,1234',
	['4111/1111/1111/1111', '5555_5555_5555_4444', '!3782,822463,10005'],
);
test(
	'divided numbers each before its expiry, all with one sign',
	finds,
	`4111/1111/1111/1111/1229/5555/5555/5555/4444/0130/123/${VISA} ${VISA}:12:29:5555:5555:5555:4444:12:2029:4111:1111:1111:1111`,
	[...['4111/1111/1111/1111', '5555/5555/5555/4444', VISA], ...[VISA, '5555:5555:5555:4444', '4111:1111:1111:1111']],
);
test(
	'not before an expiry and more groups',
	finds,
	'4111/1111/1111/1111/1229/123/1 4111,1111,1111,1111,1229,1111,2222',
	[],
);
test(
	'not before what is no expiry',
	finds,
	'4111/1111/1111/1111/1329 4111*1111*1111*1111*12*19 4111/1111/1111/1111/12',
	[],
);
test('not groups directly beside digits of another script', finds, "٤١4111/1111/1111/1111 4'111'111'111'111'111٤", []);
test('not groups with different signs', finds, '4111/1111*1111/1111 4111/1111,1111,1111', []);
test('not four groups of a longer list', finds, '4111,1111,1111,1111,1111 1,4111,1111,1111,1111', []);
test('not groups of no card', finds, '41111/111/1111/1111 41/11/11/11/11/11/11/11 411111/1111111111', []);
test('not groups that fail the check digit', finds, '4111/1111/1111/1112 4,111,111,111,111,112', []);
test(
	'a number between colons before its expiry and security code',
	finds,
	'4111:1111:1111:1111:1229 5555:5555:5555:4444:12:29:123, Card:3782:822463:10005:06:2031:1234',
	['4111:1111:1111:1111', '5555:5555:5555:4444', '3782:822463:10005'],
);
test(
	'a number between colons beside others and behind a word',
	finds,
	`${VISA}:4111:1111:1111:1111 4111:1111:1111:1111:5555:5555:5555:4444:1229 Card:4111:1111:1111:1111: Visa`,
	[VISA, ...['4111:1111:1111:1111', '4111:1111:1111:1111', '5555:5555:5555:4444', '4111:1111:1111:1111']],
);
test('not an address of the network', finds, '4111:1111:1111:1111:: ::4111:1111:1111:1111', []);
test(
	'not an address of the network that goes on like an expiry',
	finds,
	[
		...['4111:1111:1111:1111:1229::', '4111:1111:1111:1111:1229::1', '[fe80::4111:1111:1111:1111:1229]:2022'],
		...['4111:1111:1111:1111:1229:abcd:1:2', '2001:db8:aaaa:dead:4111:1111:1111:1111', '4111:1111:1111:1111:12:29:0:1'],
		...[
			'abcd:4111:1111:1111:1111:1229:cafe:1',
			'x 4111:1111:1111:1111:a:b:c:d%eth0',
			'::ffff:4111:1111:1111:1111:12:29',
		],
	].join(' '),
	[],
);
test('no address of the network is taken for a card, whatever groups it has', (t) => {
	const group = fc.constantFrom('4111', '1111', '1111', '1111', '1229', '12', '29', '123', '0', 'abcd', '8');
	const isTwoCards = (text: string) => /(4111(:1111){3}(:|$)){2}/.test(text);
	const address = fc
		.tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(8), fc.nat(8))
		.map(([groups, from, count]) => {
			const shortened = `${groups.slice(0, from).join(':')}::${groups.slice(from + count).join(':')}`;
			return count === 0 ? groups.join(':') : shortened;
		})
		.filter((text) => isIPv6(text) && !isTwoCards(text));
	fc.assert(
		fc.property(
			address,
			fc.constantFrom('', '[', 'ip ', 'ip:'),
			fc.constantFrom('', ']:80', '%1', '/64', '\n'),
			(text, before, after) => {
				// A word before `::` would read as a label with a number behind it.
				fc.pre(!(before === 'ip:' && text.startsWith(':')));
				t.deepEqual(found(`${before}${text}${after}`), []);
			},
		),
		{ numRuns: runs(5000) },
	);
});
test(
	'not a hardware address or a time',
	finds,
	'41:11:11:11:11:11:11:11 4111:1111:1111 12:29:41:111 4111-11-11T11:11:11.1111:1111',
	[],
);
test('not thousands of 13 digits, which are an amount', finds, '4,222,222,222,222', []);

test('a number in the notation of floating-point numbers', finds, '[4.111111111111111E15,4.111111111111111e+15]', [
	'!4.111111111111111',
	'!4.111111111111111',
]);
test('a floating-point number of 15 digits', finds, 'x 3.78282246310005E14', ['!3.78282246310005']);
test('a floating-point number that leaves out the last zeros', finds, '5.1051051051051e15 4.00000600000001E+15', [
	'!5.1051051051051',
]);
test('not a floating-point number of another size', finds, '4.111111111111111E14 4.111111111111111E-15 4.111E15', []);
test('not a fraction with an exponent', finds, '14.111111111111111E15 1.4111111111111111E16', []);

test('a number behind zeros', finds, '0004111111111111111,00000378282246310005;0000000000000000004111111111111111', [
	VISA,
	AMEX,
	VISA,
]);
test('a number behind zeros beside others', finds, `12 0004111111111111111 ${VISA} 0${AMEX}`, [`!${VISA}`, VISA, AMEX]);
test(
	'not an identity number that begins with a zero',
	finds,
	'NI036377120110969008 FQTV AF HK1/AF0378764134687115',
	[],
);
test('not a number behind other digits', finds, '0014111111111111111 10004111111111111111', []);
test('not the digits of a fraction that begins with zeros', finds, '0.0004111111111111111', []);

test('a number with its expiry behind a card code', finds, `FPCC/AX/${AMEX}1229 RM VISA ${VISA}1229`, [
	`!${AMEX}`,
	`!${VISA}`,
]);
test(
	'a number with its expiry and security code behind a card code',
	finds,
	`AX ${AMEX}05291234 Visa: ${VISA}0529123`,
	[`!${AMEX}`, `!${VISA}`],
);
test('not a number with its expiry behind nothing or a word', finds, `${VISA}1229 to ${VISA}1229 REF ${VISA}1229`, []);
test('not a number with what is no expiry', finds, `VI ${VISA}1329 VI ${VISA}0029 VI ${VISA}1219 CA ${VISA}1229`, []);

test('an item of a numbered list', finds, `RM 1.${VISA} 2.5555555555554444`, [VISA, '5555555555554444'], true);
test('an item with two digits', finds, `12.${VISA}`, [VISA], true);
test('not an item with more digits or behind another point', finds, `123.${VISA} 1.2.${VISA}`, [], true);
test('not an item where fractions are usual', finds, `1.${VISA}`, []);

test('what is found amid signs is found again in the same bytes at any other place', (t) => {
	const parts = fc.array(
		fc.constantFrom(
			...[VISA, '4111/1111/1111/1111', '4,111,111,111,111,111', '1', '22', '4111', '1111', '0', '000'],
			...[' ', '-', '.', '/', ',', '    ', ' / ', '\u00b7', '\u2212', 'VI', 'E15', '1229', '\n'],
		),
		{ maxLength: 40 },
	);
	fc.assert(
		fc.property(parts, fc.nat(40), (list, shift) => {
			const text = list.join('');
			t.deepEqual(found(`${'x'.repeat(shift)}\n${text}\n`), found(`${text}\n`));
		}),
		{ numRuns: runs(5000) },
	);
});

test('the places of the numbers found are in order and never overlap, whatever the text is', (t) => {
	// Half of the parts are whole spellings, so that most texts hold several numbers side by side.
	const whole = fc.constantFrom(
		`${VISA} `,
		'4111/1111/1111/1111 ',
		`VI ${AMEX}1229 `,
		'4.111111111111111E15,',
		`000${VISA} `,
	);
	const broken = fc.constantFrom(VISA, '4111', '1111', '0', '000', ' ', '/', ',', '    ', '\u00b7', 'VI ', 'E15', '4.');
	fc.assert(
		fc.property(fc.array(fc.oneof(whole, broken), { maxLength: 40 }), (list) => {
			const bytes = Buffer.from(list.join(''));
			const places = new NumberPlaces();
			new OtherNumbers(true).find(bytes, 0, bytes.length, places);
			const ends = [...places.ends.subarray(0, places.count)];
			const starts = [...places.starts.subarray(0, places.count)];
			const overlaps = starts.slice(1).filter((start, i) => start < ends[i]);
			t.deepEqual(overlaps, [], list.join(''));
		}),
		{ numRuns: runs(5000) },
	);
});

test('long lists and long runs of digits are read in a time that grows with them alone', (t) => {
	const began = performance.now();
	for (const part of ['4111,', '4111/1111/', '0', `${VISA} `, '1 2/', 'VI ', '0004111111111111111 ']) {
		found(part.repeat(Math.ceil(1_000_000 / part.length)));
	}
	t.true(performance.now() - began < 5000);
});

test('a number is part of an address whether a token or a number stands before it', (t) => {
	const token = '856ad0940ff5b77d5b93fd69ff5749a0';
	t.deepEqual(found(`x:${VISA}::F4111:1111:1111:1111:1229/a`), [VISA]);
	t.deepEqual(found(`x:${token}::F4111:1111:1111:1111:1229/a`), []);
});
