// Tests how brands are told while a number is typed, and compares the table of brands with that of a well-kept library.

import test from 'ava';
import creditCardType from 'credit-card-type';
import fc from 'fast-check';
import { BRAND_RANGES, brandOf, CARD_TYPES, coBadgesOf } from '../../src/base/card/brand.ts';
import { brandOfBeginning } from '../../src/base/card/typed-brand.ts';
import * as page from '../../src/base/pages/assets/card-rules.js';

/**
 * The names of this project for the brands of credit-card-type, which also has brands that the interface has no name for.
 */
const NAMES: Readonly<Record<string, string>> = {
	visa: 'Visa',
	mastercard: 'MasterCard',
	'american-express': 'AMEX',
	'diners-club': 'DinersClub',
	discover: 'Discover',
	jcb: 'JCB',
	unionpay: 'UnionPay',
	maestro: 'Maestro',
	elo: 'Elo',
	hipercard: 'Hipercard',
	troy: 'Troy',
	mir: 'Mir',
	hiper: 'Hipercard',
	verve: 'Verve',
};
const UNNAMED = ['naranja'];

const serverBrand = (digits: string) => CARD_TYPES[brandOf(Buffer.from(digits), 0, digits.length)];

const digitText = (minLength: number, maxLength: number) =>
	fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

test('the script tells the brand of every number as the service does', (t) => {
	const agree = (digits: string) => {
		const brand = serverBrand(digits);
		t.is(page.typedBrandOf(digits), brand === 'Unspecified' ? brandOfBeginning(digits) : brand, digits);
		t.deepEqual(page.coBadgesOf(digits), coBadgesOf(digits), digits);
	};
	fc.assert(
		fc.property(digitText(12, 19), (digits) => {
			agree(digits);
		}),
		{ numRuns: 2000 },
	);
	// Random digits rarely fall into the narrow ranges, so each range is tried too.
	for (const { from, to, lengths } of BRAND_RANGES) {
		for (const prefix of [from, to]) {
			for (let length = 12; length <= 19; length++) {
				if ((lengths & (1 << length)) === 0) continue;
				const digits = String(prefix).padEnd(length, '0');
				agree(digits);
			}
		}
	}
});

test('while a number is typed, a brand that is told stays once six digits are there', (t) => {
	fc.assert(
		fc.property(digitText(6, 19), (digits) => {
			const told = brandOfBeginning(digits.slice(0, 6));
			for (let length = 6; length <= digits.length; length++) t.is(brandOfBeginning(digits.slice(0, length)), told);
		}),
	);
	const early = {
		4: 'Visa',
		34: 'AMEX',
		51: 'MasterCard',
		36: 'DinersClub',
		3528: 'JCB',
		6011: 'Discover',
		62: 'UnionPay',
		6: 'Unspecified',
	};
	for (const [digits, brand] of Object.entries(early)) t.is(page.typedBrandOf(digits), brand, digits);
	t.is(page.longestOf('AMEX'), 15);
	t.is(page.longestOf('Unspecified'), 22);
});

test('the table agrees with credit-card-type where both have a name for the brand', (t) => {
	const differences = new Set<string>();
	let compared = 0;
	for (const { type, patterns, lengths } of Object.values(creditCardType.types).map((name) =>
		creditCardType.getTypeInfo(name),
	)) {
		if (UNNAMED.includes(type)) continue;
		t.true(type in NAMES, type);
		for (const pattern of patterns) {
			for (const prefix of [pattern].flat()) {
				const digits = String(prefix).padEnd(lengths.includes(16) ? 16 : lengths[0], '5');
				const best = creditCardType(digits)[0]?.type;
				// Ranges of this project have six digits. A card of a longer range counts as one of the wider range around it, here
				// Discover.
				if (best !== type || String(prefix).length > 6) continue;
				compared++;
				if (serverBrand(digits) !== NAMES[type]) differences.add(`${prefix} ${type} ${serverBrand(digits)}`);
			}
		}
	}
	t.true(compared > 100, String(compared));
	t.deepEqual([...differences].sort(), KNOWN_DIFFERENCES.toSorted());
});

/** The prefixes for which the table of this project deliberately says something else. */
const KNOWN_DIFFERENCES: readonly string[] = [
	// These are numbers of 15 digits that were last issued decades ago; there are none with 16 digits.
	'1800 jcb Unspecified',
	'2131 jcb Unspecified',
	// The first is within the range of Visa, and nobody issues cards in the second.
	'493698 maestro Visa',
	'59 maestro Unspecified',
	// The library does not know RuPay, whose numbers of India begin with these digits.
	'508999 maestro RuPay',
];
