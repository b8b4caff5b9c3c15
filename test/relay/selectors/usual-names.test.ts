import test from 'ava';
import type { ProfileBody } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors } from '../../../src/work/relay/selectors/selectors.ts';

const NUMBER = '4111111111111111';

function selectorsFor(body: ProfileBody, container?: string, more: object = {}) {
	return compileSelectors({ body, cards: [{ container, names: 'usual', ...more }], namespaces: {} });
}

const CASES: [body: ProfileBody, container: string | undefined, text: string][] = [
	['form', undefined, `a=1&ccNumber=${NUMBER}&ccExpiry=04%2F39&cvv2=306&ccHolder=A+HOLDER&cardType=VI`],
	[
		'form',
		undefined,
		`Karten-Nr=${NUMBER}&exp_month=04&exp_year=39&Pr%C3%BCfziffer=306&Karteninhaber=A+HOLDER&cardBrand=VI`,
	],
	['form', undefined, `number=${NUMBER}&month=04&year=2039&cvc=306&name=A+HOLDER&type=VI`],
	[
		'json',
		'$.card',
		`{"card":{"number":"${NUMBER}","expiry":{"month":"04","year":2039},"cvc":"306","holder":"A HOLDER","brand":"VI"}}`,
	],
	[
		'json',
		'$.card',
		`{"card":{"cardNumber":{"value":"${NUMBER}"},"number":"1","exp":"2039-04","CVV2":306,"nameOnCard":"A HOLDER","cardType":"VI"}}`,
	],
	[
		'xml',
		'//Card',
		`<r><Card CardNumber="${NUMBER}" ExpireDate="0439" SeriesCode="306" CardCode="VI"><CardHolderName>A HOLDER</CardHolderName></Card></r>`,
	],
	[
		'xml',
		'//Card',
		`<r><Card><CardNumber><PlainText>${NUMBER}</PlainText></CardNumber><EffectiveExpireDate><Effective>0120</Effective><Expiration>04/39</Expiration></EffectiveExpireDate><SeriesCode><PlainText>306</PlainText></SeriesCode><CardHolderName>A HOLDER</CardHolderName><CardBrandCode>VI</CardBrandCode></Card></r>`,
	],
];

for (const [index, [body, container, text]] of CASES.entries()) {
	test(`${body} ${index}: a card is found by the usual names of its fields, and put in by them`, (t) => {
		const selectors = selectorsFor(body, container);
		const [card, ...others] = selectors.locate(Buffer.from(text));
		t.is(others.length, 0);
		t.deepEqual(card.values, {
			number: NUMBER,
			expiryMonth: '04',
			expiryYear: '2039',
			nameOnCard: 'A HOLDER',
			securityCode: '306',
			type: 'VI',
		});
		const other = {
			number: '5555555555554444',
			expiryMonth: '12',
			expiryYear: '2041',
			nameOnCard: 'B',
			securityCode: '123',
			type: 'CA',
		};
		const filled = selectors.fill(Buffer.from(text), [other]);
		t.deepEqual(selectors.locate(filled)[0].values, other);
		// Writing the first card back restores the length of the body, so nothing else in it has changed.
		t.is(selectors.fill(filled, [card.values as typeof other]).length, text.length);
	});
}

test('a token under a word is a place for a card, a short number under it is none', (t) => {
	const selectors = selectorsFor('form');
	t.is(selectors.locate(Buffer.from(`number=${'ab'.repeat(16)}&cvc=1`)).length, 1);
	t.is(selectors.locate(Buffer.from('number=42&cvc=1')).length, 0);
	t.is(selectors.locate(Buffer.from('maskedCardNumber=411111XXXXXX1111')).length, 0);
});

test('a part with a path goes by that', (t) => {
	const selectors = selectorsFor('form', undefined, { securityCode: { path: 'check' } });
	const [card] = selectors.locate(Buffer.from(`ccNumber=${NUMBER}&cvv=123&check=456`));
	t.is(card.values.securityCode, '456');
});

test('as many dates as numbers belong to one each', (t) => {
	const text = `card1Number=${NUMBER}&card1Expiry=0439&card2Number=5555555555554444&card2Expiry=12/2041`;
	t.deepEqual(
		selectorsFor('form')
			.locate(Buffer.from(text))
			.map(({ values }) => [values.number, values.expiryMonth, values.expiryYear]),
		[
			[NUMBER, '04', '2039'],
			['5555555555554444', '12', '2041'],
		],
	);
});

test('an empty expiry is filled as MMYY', (t) => {
	const card = { number: NUMBER, expiryMonth: '04', expiryYear: '2039' };
	t.is(
		selectorsFor('form').fill(Buffer.from('cardNumber=&expiry='), [card]).toString(),
		`cardNumber=${NUMBER}&expiry=0439`,
	);
});
