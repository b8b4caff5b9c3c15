// Tests the table of brands with numbers that schemes and payment providers publish for tests, and with made ones of the
// same ranges.

import test from 'ava';
import {
	brandOf,
	CARD_TYPES,
	type CardType,
	coBadgesOf,
	isTypePlausible,
	typeToStore,
} from '../../src/base/card/brand.ts';
import { cardBrandOf } from '../../src/base/card/card-digits.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';

const brand = (digits: string): string => CARD_TYPES[brandOf(Buffer.from(digits), 0, digits.length)];
const typeOf = (name: CardType) => CARD_TYPES.indexOf(name);
/** Fills a prefix up to a valid number of so many digits. */
const numberOf = (prefix: string, length: number) => {
	const body = prefix.padEnd(length - 1, '0');
	return [...'0123456789'].map((last) => body + last).find((digits) => passesLuhn(Buffer.from(digits), 0, length))!;
};

/** Numbers that are published for tests, by their brand. */
const PUBLISHED = `
Visa 4111111111111111 4242424242424242 4222222222222 4000056655665556
MasterCard 5555555555554444 2223003122003222 5105105105105100
AMEX 378282246310005 371449635398431
DinersClub 30569309025904 38520000023237 36227206271667
Discover 6011111111111117 6011000990139424
JCB 3530111333300000 3566002020360505 180000000000002 213100000000001
UnionPay 6200000000000005 6205500000000000004
Maestro 6304000000000000 6759649826438453 5018000000000009
Mir 2201382000000013 2200770239569504
Elo 6362970000457013 5067310000000010
Hipercard 6062826786276634
RuPay 6073849700004947 6521500000000006 5085000000000007 8172000000000005
Verve 5060990580000217499 5061460410120223210
Troy 9792030394440796
UATP 135410014004955
Dankort 5019717010103742`;

for (const row of PUBLISHED.trim().split('\n')) {
	const [name, ...numbers] = row.split(' ');
	test(`published test numbers of ${name} are known as its own`, (t) => {
		for (const digits of numbers) {
			t.is(brand(digits), name, digits);
			t.true(passesLuhn(Buffer.from(digits), 0, digits.length), digits);
		}
	});
}

test('each brand has the lengths that its scheme allows, and no other', (t) => {
	const lengthsOf = (prefix: string, name: CardType) =>
		Array.from({ length: 11 }, (_, i) => i + 10).filter((length) => brand(numberOf(prefix, length)) === name);
	t.deepEqual(lengthsOf('2204', 'Mir'), [16, 17, 18, 19]);
	t.deepEqual(lengthsOf('62', 'UnionPay'), [14, 15, 16, 17, 18, 19]);
	t.deepEqual(lengthsOf('8100', 'UnionPay'), [14, 15, 16, 17, 18, 19]);
	t.deepEqual(lengthsOf('2131', 'JCB'), [15]);
	t.deepEqual(lengthsOf('3589', 'JCB'), [16, 17, 18, 19]);
	t.deepEqual(lengthsOf('6761', 'Maestro'), [12, 13, 14, 15, 16, 17, 18, 19]);
	t.deepEqual(lengthsOf('506198', 'Verve'), [16, 18, 19]);
	t.deepEqual(lengthsOf('8299', 'RuPay'), [16]);
	t.deepEqual(lengthsOf('9792', 'Troy'), [16]);
	t.deepEqual(lengthsOf('1920', 'UATP'), [15]);
	t.deepEqual(lengthsOf('2014', 'enRoute'), [15]);
	t.deepEqual(lengthsOf('3841', 'Hipercard'), [16, 19]);
});

test('the ends of a narrow range belong to it, and the numbers beside it do not', (t) => {
	for (const [prefixes, name] of [
		['506099 506198 507865 507964 650002 650027', 'Verve'],
		['650031 650033 650035 650051 506699 506778 509000 509999', 'Elo'],
		['606985 607984 608001 608500 652150 653149 508500 508999 817200 829999', 'RuPay'],
		['220000 220499', 'Mir'],
		['968200 968299', 'Mada'],
	]) {
		for (const prefix of prefixes.split(' ')) t.is(brand(numberOf(prefix, 16)), name, prefix);
	}
	t.is(brand(numberOf('817199', 16)), 'UnionPay');
	t.is(brand(numberOf('650028', 16)), 'Discover');
	t.is(brand(numberOf('506199', 16)), 'Maestro');
	t.is(brand(numberOf('220600', 16)), 'Unspecified');
	t.is(brand(numberOf('830000', 16)), 'Unspecified');
});

test('the holder of a co-badged card may choose between its two brands', (t) => {
	t.deepEqual(coBadgesOf(numberOf('4571', 16)), ['Visa', 'Dankort']);
	t.deepEqual(coBadgesOf(numberOf('440647', 16)), ['Visa', 'Mada']);
	t.deepEqual(coBadgesOf(numberOf('529415', 16)), ['MasterCard', 'Mada']);
	t.deepEqual(coBadgesOf(numberOf('622126', 16)), ['UnionPay', 'Discover']);
	t.deepEqual(coBadgesOf(numberOf('401178', 16)), ['Elo', 'Visa']);
	t.deepEqual(coBadgesOf('4111111111111111'), []);
});

test('in bare text short numbers of Maestro and UnionPay and times are no card numbers, and JCB with 15 digits is one', (t) => {
	const bare = (digits: string): string => CARD_TYPES[cardBrandOf(Buffer.from(digits), 0, digits.length)];
	for (const length of [13, 14, 15]) {
		t.is(bare(numberOf('62', length)), 'Unspecified');
		t.is(bare(numberOf('6761', length)), 'Unspecified');
	}
	t.is(bare(numberOf('62', 16)), 'UnionPay');
	t.is(bare('213100000000001'), 'JCB');
	t.is(bare(numberOf('1764', 13)), 'Unspecified');
	t.is(bare(numberOf('1764', 16)), 'Unspecified');
});

test('the code CB fits Visa and Mastercard as Cartes Bancaires, and Diners Club as Carte Blanche; the brand is stored', (t) => {
	const cb = typeOf('CartesBancaires');
	for (const name of ['Visa', 'MasterCard', 'Maestro', 'DinersClub'] as const)
		t.true(isTypePlausible(cb, typeOf(name)));
	for (const name of ['AMEX', 'JCB', 'UnionPay'] as const) t.false(isTypePlausible(cb, typeOf(name)));
	t.is(typeToStore(cb, typeOf('Visa')), typeOf('Visa'));
	t.is(typeToStore(cb, typeOf('DinersClub')), typeOf('DinersClub'));
	t.is(typeToStore(undefined, typeOf('Mir')), typeOf('Mir'));
	t.is(typeToStore(typeOf('AMEX'), typeOf('Visa')), typeOf('AMEX'));
});
