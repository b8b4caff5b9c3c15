import test from 'ava';
import { json, VISA, xml } from '../helpers/card-calls.ts';
import { CARD, CHARGE, GATEWAY_PATH, openPayer, operate } from '../helpers/gateway-calls.ts';
import { refuses } from './gateway-order.setup.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
test('spec §7.4: neither card nor token', refuses, { Card: null }, /CardToken: expected a token URI, or a card/);
test(
	'spec §7.4: a token that cannot be read',
	refuses,
	{ Card: null, CardToken: 'x' },
	/CardToken: expected a token URI/,
);
test('spec §2.7: card and token', refuses, { CardToken: TOKEN }, /either Card or CardToken/);
test('spec §7.4: no amount', refuses, { Amount: null }, /Amount: is required/);
test('spec §7.4: no currency', refuses, { Currency: '' }, /Currency: is required/);
test('a currency that is none', refuses, { Currency: 'XYZ' }, /Currency: expected a currency code of ISO 4217/);
test('more decimals than the currency has', refuses, { Currency: 'JPY' }, /Amount: expected at most 0 decimals/);
test('an amount below zero', refuses, { Amount: -1 }, /Amount: expected an amount in major units/);
test('an amount of nothing', refuses, { Amount: '0.00' }, /Amount: expected more than zero/);
test('an unknown operation', refuses, { OperationType: 'Steal' }, /OperationType: expected one of PreAuth, Capture/);
test(
	'a reference that would lead elsewhere at the provider',
	refuses,
	{ OperationType: 'Capture', GatewayReference: '..' },
	/GatewayReference: expected a reference/,
);
for (const reference of ['.', 'a/..', '../a', 'a/../b', 'a\\..\\b', '/..', 'a b', 'a\u00e9', 'a'.repeat(256)]) {
	test(
		`a reference that would lead elsewhere or is none: ${reference.slice(0, 10)}`,
		refuses,
		{ OperationType: 'Capture', GatewayReference: reference },
		/GatewayReference: expected a reference/,
	);
}
test(
	'a reference that looks like a card number and is not known',
	refuses,
	{ OperationType: 'Capture', GatewayReference: VISA },
	/GatewayReference: looks like a card number/,
);
test(
	'a caller reference that holds a card number',
	refuses,
	{ MyRef: `no ${VISA}` },
	/MyRef: looks like a card number/,
);
test('no gateway', refuses, { PaymentGateway: null }, /PaymentGateway: is required/);
test(
	'an unknown gateway',
	refuses,
	{ PaymentGateway: { Name: 'Nobody' } },
	/PaymentGateway.Name: expected one of Adyen, /,
);
test(
	'credentials that lack a field',
	refuses,
	{ PaymentGateway: { Name: 'Stripe', Credentials: {} } },
	/PaymentGateway.Credentials.SecretKey: is required/,
);
test(
	'an expired card',
	refuses,
	{ Card: { ...CARD, ExpirationDate: { Month: '04', Year: '2020' } } },
	/Card.ExpirationDate: Expired/,
);
test('a number that fails Luhn', refuses, { Card: { ...CARD, Number: '4111111111111112' } }, /Card.Number: Luhn/);
test('a token of nobody', refuses, { Card: null, CardToken: TOKEN }, /null/, { status: 401 });

test('spec §7.4: a body that cannot be read is bad input data, in either format', async (t) => {
	const { caller } = await openPayer(t);
	for (const call of [
		json('{"OperationType":'),
		xml('<PaymentGatewayRequest><'),
		xml('<Other/>'),
		json('[]'),
		json(''),
	]) {
		const response = await caller.inject('POST', GATEWAY_PATH, {
			...call,
			headers: { ...call.headers, accept: 'application/json' },
		});
		t.is(response.statusCode, 400);
		t.is(response.json().message, 'Bad input data', response.body);
	}
	const cvv = await operate(caller, { ...CHARGE, Card: { ...CARD, CVV: '12' } });
	t.is(cvv.json().message, 'Bad input parameter');
});
