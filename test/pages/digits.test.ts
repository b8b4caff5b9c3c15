import test from 'ava';
import fc from 'fast-check';
import { asciiDigits as onServer } from '../../src/base/card/ascii-digits.ts';
import { asciiDigits } from '../../src/base/pages/assets/card-rules.js';
import { caretIn, digitsOf, groupExpiry } from '../../src/base/pages/assets/digits.js';
import { groupNumber } from '../../src/base/pages/assets/groups.js';
import { anyCharacter } from '../helpers/any-character.ts';

test('digits of every script are read, by the page and by the service alike', (t) => {
	for (const digits of ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '０１２３４５６７８９', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗', '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿']) {
		t.is(asciiDigits(digits), '0123456789');
	}
	fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => t.is(asciiDigits(text), onServer(text))));
});

const grouped = fc.tuple(
	fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 22 }),
	fc.constantFrom('Visa', 'AMEX', 'DinersClub', 'Unspecified'),
);

test('grouping keeps every digit, and grouping again changes nothing', (t) => {
	fc.assert(
		fc.property(grouped, ([digits, brand]) => {
			const text = groupNumber(digits, brand);
			t.is(digitsOf(text), digits);
			t.is(groupNumber(digitsOf(text), brand), text);
			t.is(text, text.trim());
		}),
	);
});

test('the caret has as many digits before it as before', (t) => {
	fc.assert(
		fc.property(grouped, fc.nat(22), fc.boolean(), ([digits, brand], wanted, isDeleting) => {
			const text = groupNumber(digits, brand);
			const before = Math.min(wanted, digits.length);
			t.is(digitsOf(text.slice(0, caretIn(text, before, isDeleting))).length, before);
		}),
	);
});

test('an expiry is grouped however it is written', (t) => {
	const cases = {
		'1230': '12 / 30',
		'12/30': '12 / 30',
		'8/30': '08 / 30',
		'2030-12': '12 / 2030',
		'8': '08 / ',
		'1': '1',
		'1 30': '01 / 30',
		'1 ': '01 / ',
		'122030': '12 / 2030',
	};
	for (const [typed, shown] of Object.entries(cases)) t.is(groupExpiry(typed, false), shown, typed);
	t.is(groupExpiry('12 / ', true), '12');
	fc.assert(
		fc.property(fc.string({ unit: fc.constantFrom(...'0123456789/- ') }), fc.boolean(), (text, isDeleting) => {
			const once = groupExpiry(text, isDeleting);
			t.is(groupExpiry(once, isDeleting), once, text);
		}),
	);
});
