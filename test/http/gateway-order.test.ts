import test from 'ava';
import { json, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { CARD, CHARGE, GATEWAY_PATH, openPayer, operate } from '../helpers/gateway-calls.ts';
import type { Caller } from '../helpers/http-rooms.ts';

const refuses = test.macro(
	async (t, change: object, moreInfo: RegExp, more: { status?: number; query?: string } = {}) => {
		const { status = 400, query } = more;
		const { rooms, caller } = await openPayer(t);
		const response = await operate(caller, { ...CHARGE, ...change }, query);
		t.is(response.statusCode, status, response.body);
		const error = response.json();
		t.is(error.message, status === 400 ? 'Bad input data' : error.message);
		t.regex(String(error.moreInfo), moreInfo);
		t.deepEqual(await rooms.database.knex('gateway_attempts'), [], 'nothing is journalled');
	},
);

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
test('an amount in words', refuses, { Amount: 'ten' }, /Amount: expected an amount in major units/);
test('an amount with too many digits', refuses, { Amount: '99999999999999' }, /Amount: is too large/);
test('no operation', refuses, { OperationType: null }, /OperationType: is required/);
test('an unknown operation', refuses, { OperationType: 'Steal' }, /OperationType: expected one of PreAuth, Capture/);
test('spec §7.4: no reference to capture', refuses, { OperationType: 'Capture' }, /GatewayReference: is required/);
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
test('credentials that are not kept', refuses, {}, /credentialsId: no such credentials/, {
	query: '?credentialsId=mine',
});
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

test('a token of another kind is not found, one of another account not accessible', async (t) => {
	const { rooms, caller } = await openPayer(t);
	const block = await caller.inject('POST', '/api/datablocks', json({ Payload: 'a note' }));
	const asked = (who: Caller, CardToken: string) => operate(who, { ...CHARGE, Card: null, CardToken });
	const kind = await asked(caller, block.json().Token);
	t.is(kind.statusCode, 404);
	t.is(kind.json().message, 'Uri not found');
	const token = await storeCard(caller);
	const stranger = await rooms.createCaller('stranger');
	t.is((await asked(stranger, token)).statusCode, 401);
	t.is((await asked(caller, token)).statusCode, 200);
});
