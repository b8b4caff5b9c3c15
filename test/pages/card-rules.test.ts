// Tests that the pages of forms judge what is typed exactly as the service does: their script has the same rules.

import test from 'ava';
import fc from 'fast-check';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { monthOf } from '../../src/base/card/expiry.ts';
import type * as Rules from '../../src/base/pages/assets/card-rules.js';
import { readJoined } from '../../src/base/pages/assets.ts';
import { readCardFields, readCvvText } from '../../src/work/cardholders/forms/card-fields.ts';
import { type FieldProblems, type FieldRules, judgeFields } from '../../src/work/cardholders/forms/judge-fields.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { generateCardRules, readCardRules } from '../helpers/generate-card-rules.ts';

const NOW = new Date('2026-11-15');

/** Loads the rules as pages get them, with nothing of Node but what the script brings along. */
const loadServed = (): Promise<typeof Rules> =>
	import(`data:text/javascript,${encodeURIComponent(readJoined('card-rules.js'))}`);

test('the rules in pages are made of the rules of the service as they are now', (t) => {
	t.true(readCardRules() === generateCardRules(), 'run npm run generate:card-rules');
});

/** Public test numbers, with one wrong digit, too short, too long, of unknown brands and of two brands. */
const NUMBERS = [
	...['4111111111111111', '378282246310005', '5555555555554444', '30569309025904', '6011111111111117'],
	...['4571000000000001', '4111111111111112', '411111111111', '9999999999999995', '0000000000000000', '36'],
	'41111111111111111111111',
];
const grouped = fc
	.tuple(fc.constantFrom(...NUMBERS), fc.constantFrom('', ' ', '-', '.', '\u00a0', ' - ', '/'), fc.constantFrom(4, 5))
	.map(([digits, sign, size]) => (digits.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(sign));
const arabic = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
const digitText = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength });
const anyText = fc.string({ unit: anyCharacter, maxLength: 300 });

const fields = fc.record(
	{
		cardNumber: fc.oneof(grouped, grouped.map(arabic), digitText(24), anyText),
		cardType: fc.constantFrom('', ...CARD_TYPES),
		expiry: fc.oneof(
			fc.constantFrom(
				'12 / 30',
				'1230',
				'1 30',
				'12/2030',
				'2030-12',
				'13/30',
				'00/30',
				'11/26',
				'10/26',
				'',
				'12',
				'1/1/30',
				'130',
				'203012',
				'12.30',
				'2030',
				'12/1899',
			),
			fc.string({ unit: fc.constantFrom(...'0123456789/ -.'), maxLength: 10 }),
			anyText,
		),
		cvv: fc.oneof(digitText(5), fc.constantFrom('***', ' 123 ', '١٢٣', '12a'), anyText),
		nameOnCard: fc.oneof(fc.constantFrom('MARIE DUPONT', 'Zoë', 'M4RIE', '', ' '), grouped, anyText),
		ownerId: fc.oneof(fc.constantFrom('guest-7', ''), grouped, anyText),
	},
	{ requiredKeys: [] },
);
/** Fields of which most are right, so that many cards are taken. */
const rightFields = fc.record({
	cardNumber: fc.constantFrom(...NUMBERS.slice(0, 6), '4111 1111 1111 1111', '٤١١١ ١١١١ ١١١١ ١١١١'),
	cardType: fc.constantFrom('', 'Visa', 'Dankort', 'CartesBancaires', 'AMEX'),
	expiry: fc.constantFrom('12 / 30', '1 31', '2031-12', '11/26'),
	cvv: fc.constantFrom('123', '1234', ' ١٢٣'),
	nameOnCard: fc.constantFrom('MARIE DUPONT', 'Zoë', "d'Arc"),
	ownerId: fc.constantFrom('guest-7', '', '4111 1111 1111 1111'),
});
const types = fc.option(fc.uniqueArray(fc.constantFrom(...CARD_TYPES), { maxLength: 4 }), { nil: undefined });
const rules: fc.Arbitrary<FieldRules> = fc.record({
	cvv: fc.constantFrom('required', 'optional', 'absent'),
	detectsType: fc.boolean(),
	defaultType: fc.option(fc.constantFrom(...CARD_TYPES), { nil: undefined }),
	types,
	minExpiry: fc.option(fc.constantFrom(202611, 203101), { nil: undefined }),
	asksOwnerId: fc.boolean(),
	checksName: fc.boolean(),
});

test('page and service agree on number, expiry, CVV, brand and type, whatever is typed into a form of any kind', async (t) => {
	const page = await loadServed();
	let taken = 0;
	fc.assert(
		fc.property(fc.oneof(fields, rightFields), rules, (typed, options) => {
			const judged = page.judgeFields(typed, options, monthOf(NOW));
			const read = readCardFields(typed, options, NOW);
			if ('card' in read) {
				taken++;
				const { number, expiry, type } = read.card;
				t.deepEqual(judged.problems, {});
				t.deepEqual([judged.digits, judged.expiry, judged.type], [number.reveal(), expiry, type]);
				t.is(judged.cvv, read.cvv?.reveal() ?? '');
			} else {
				// The service alone finds card numbers in texts that are kept in clear.
				const { nameOnCard, ownerId, ...others } = read.problems;
				const { nameOnCard: nameInPage, ownerId: ownerInPage, ...inPage } = judged.problems;
				t.deepEqual(inPage, others as typeof inPage);
				if (nameInPage !== undefined) t.truthy(nameOnCard);
				if (ownerInPage !== undefined) t.truthy(ownerId);
			}
		}),
		{ numRuns: 5000 },
	);
	t.true(taken > 100, `only ${taken} cards were taken`);
});

test('page and service agree on the CVV of a stored card of any brand', async (t) => {
	const page = await loadServed();
	const onService = (text: string, brand: number) => {
		const problems: FieldProblems = {};
		const cvv = readCvvText(text, brand, problems);
		return [problems.cvv, cvv?.reveal()];
	};
	const inPage = (text: string, brand: number) => {
		const { problem, digits } = page.judgeStoredCvv(text, brand);
		return [problem, problem === undefined ? digits : undefined];
	};
	for (const brand of CARD_TYPES.keys()) {
		for (const text of ['', '1', '12', '123', '1234', '12345', ' 123 ', '١٢٣٤', '12a', '***'])
			t.deepEqual(inPage(text, brand) as unknown, onService(text, brand), `${brand} ${text}`);
	}
	const ofAmex = CARD_TYPES.indexOf('AMEX');
	t.deepEqual(onService('123', ofAmex), ['cvvFour', undefined]);
	t.deepEqual(onService('1234', ofAmex), [undefined, '1234']);
	t.deepEqual(onService('1234', CARD_TYPES.indexOf('Visa')), ['cvvThree', undefined]);
	t.deepEqual(onService('1234', 0), [undefined, '1234']);
});

test('what nobody sees, and the dashes and slashes of other programs, do no harm in a form', (t) => {
	const rules: FieldRules = { cvv: 'required', detectsType: true, asksOwnerId: false, checksName: false } as FieldRules;
	const expiry = '12/29';
	for (const unseen of ['\u00ad', '\u200b', '\u200c', '\u200e', '\u202a', '\u202c', '\u2060', '\u2066', '\ufeff']) {
		const put = (text: string) => `${unseen}${text}${unseen}`;
		const typed = { cardNumber: put('4111111111111111'), expiry: put(expiry), cvv: put('123') };
		t.like(judgeFields(typed, rules, 202611), { problems: {}, digits: '4111111111111111', expiry: 202912, cvv: '123' });
	}
	const cardNumber = '4111\u22121111\u22121111\u22121111';
	for (const sign of ['\u2013', '\u2212', '\u2044', '\uff0f'])
		t.like(judgeFields({ cardNumber, expiry: `12${sign}29`, cvv: '123' }, rules, 202611), {
			problems: {},
			expiry: 202912,
		});
});
