import test from 'ava';
import { ServiceError } from '../../../src/base/errors.ts';
import type { CardSelector } from '../../../src/work/relay/profiles/profile.ts';
import { compileSelectors } from '../../../src/work/relay/selectors/selectors.ts';

const NUMBER = '4111111111111111';
const form = (card: CardSelector) => compileSelectors({ body: 'form', namespaces: {}, cards: [card] });
const whole = form({
	number: { path: 'card[number]' },
	expiryMonth: { path: 'exp', substring: [0, 2] },
	expiryYear: { path: 'exp', format: 'YY', substring: [3, 2] },
	nameOnCard: { path: 'name é' },
	securityCode: { path: 'cvv' },
});

test('fields are found by their decoded names and written percent-encoded', (t) => {
	const body = 'a=%7E&card%5Bnumber%5D=tok&&exp=00%2F00&name%20%C3%A9=x&cvv=%31&b';
	t.is(
		whole
			.fill(Buffer.from(body), [{ number: NUMBER, expiryMonth: '04', expiryYear: '2030', nameOnCard: 'J & é=1' }])
			.toString(),
		`a=%7E&card%5Bnumber%5D=${NUMBER}&&exp=04%2F30&name%20%C3%A9=J+%26+%C3%A9%3D1&cvv=&b`,
	);
});

test('values are read decoded', (t) => {
	const [card] = whole.locate(Buffer.from('card[number]=4111+1111&exp=4%2F30&name+%C3%A9=A+%26%zz&cvv=%3'));
	t.deepEqual(card.values, {
		number: '4111 1111',
		expiryMonth: '4/',
		expiryYear: '0',
		nameOnCard: 'A &%zz',
		securityCode: '%3',
	});
});

test('a field without a value gets one', (t) => {
	t.is(
		form({ number: { path: 'n' } })
			.fill(Buffer.from('n&x'), [{ number: '1' }])
			.toString(),
		'n=1&x',
	);
	t.is(
		form({ number: { path: 'n' }, securityCode: { path: 'x' } })
			.fill(Buffer.from('n=&x'), [{ number: '1' }])
			.toString(),
		'n=1&x',
	);
});

test('repeated fields are as many cards, or one card in every place', (t) => {
	const selectors = form({ number: { path: 'n' }, securityCode: { path: 'c' } });
	const body = Buffer.from('n=a&c=1&n=b&c=2');
	const cards = [
		{ number: '7', securityCode: '8' },
		{ number: '9', securityCode: '0' },
	];
	t.is(selectors.fill(body, cards).toString(), 'n=7&c=8&n=9&c=0');
	t.is(selectors.fill(body, cards.slice(0, 1)).toString(), 'n=7&c=8&n=7&c=8');
	t.deepEqual(
		selectors.locate(body).map(({ values }) => values),
		[
			{ number: 'a', securityCode: '1' },
			{ number: 'b', securityCode: '2' },
		],
	);
});

test('a place that may belong to several cards is written and not read', (t) => {
	const selectors = form({ number: { path: 'n' }, securityCode: { path: 'c' } });
	const body = Buffer.from('n=a&n=b&c=1');
	t.deepEqual(
		selectors.locate(body).map((card) => [card.values, card.has('securityCode')]),
		[
			[{ number: 'a' }, true],
			[{ number: 'b' }, false],
		],
	);
	t.is(selectors.fill(body, [{ number: '1' }]).toString(), 'n=1&n=1&c=');
});

test('a form without the field of the number is refused', (t) => {
	const error = t.throws(() => whole.fill(Buffer.from('cvv=1'), [{ number: NUMBER }]), { instanceOf: ServiceError });
	t.is(error?.moreInfo, 'the selectors of the profile match nothing in the body');
});

test('characters that the charset of a form does not have become question marks', (t) => {
	const selectors = form({ number: { path: 'n' }, nameOnCard: { path: 'h' } });
	const contentType = 'application/x-www-form-urlencoded; charset=iso-8859-1';
	const filled = selectors.fill(Buffer.from('n=&h=%E9'), [{ number: '1', nameOnCard: 'é€' }], contentType);
	t.is(filled.toString(), 'n=1&h=%E9%3F');
	t.is(selectors.locate(Buffer.from('n=&h=%E9'), contentType)[0].values.nameOnCard, 'é');
});
