import test, { type ExecutionContext } from 'ava';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT } from '../gateway/servers/acquirer-server.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { STRIPE_KEY } from '../gateway/servers/stripe-server.ts';
import { asJson, json, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpRoomsOptions, openHttpRooms } from '../helpers/http-rooms.ts';

const PATH = '/api/paymentGateway';
const CARD = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' };
const SANDBOX = { PaymentGateway: { Name: 'Sandbox' } };
const CHARGE = { OperationType: 'Charge', Card: CARD, MyRef: 'order-1', Amount: 10.23, Currency: 'USD', ...SANDBOX };
const DEADLINE_MS = 300;

async function open(t: ExecutionContext, options: HttpRoomsOptions = {}, dialect: 'sqlite' | 'postgres' = 'sqlite') {
	const rooms = await openHttpRooms(t, dialect, {
		...options,
		gateway: { deadlineMs: DEADLINE_MS, ...options.gateway },
	});
	return { rooms, caller: await rooms.createCaller('agency', { cvvRetention: true }) };
}

const operate = (caller: Caller, body: object | string, query = '', headers: Record<string, string> = {}) =>
	caller.inject('POST', `${PATH}${query}`, json(body, headers));

for (const dialect of databases) {
	test(`shapes §7: every operation over its whole life, with the sandbox gateway (${dialect})`, async (t) => {
		const { rooms, caller } = await open(t, {}, dialect);
		const token = await storeCard(caller, '', { CVV: '306' });
		const begun = await operate(caller, {
			...CHARGE,
			...{ OperationType: 'PreAuth', Card: null, CardToken: `https://vault.example/api/payments/paycard/${token}` },
		});
		t.is(begun.statusCode, 200, begun.body);
		const { GatewayReference, AuthorizationCode, ...rest } = begun.json();
		t.deepEqual(rest, {
			...{ OperationType: 'PreAuth', OperationResultCode: 'Success', OperationResultDescription: 'Approved' },
			...{ GatewayName: 'Sandbox', GatewayResultCode: '00', GatewayResultDescription: 'Approved' },
			...{ Amount: 10.23, Currency: 'USD' },
		});
		t.truthy(AuthorizationCode);
		const later = (OperationType: string, Amount: number) =>
			operate(caller, { ...SANDBOX, OperationType, GatewayReference, Amount, Currency: 'USD' });
		const results: string[] = [];
		for (const [operation, amount] of [
			...([
				['Capture', 11],
				['Capture', 10.23],
				['Capture', 0.01],
				['Refund', 4],
				['Refund', 7],
				['Void', 1],
			] as const),
		]) {
			results.push((await later(operation, amount)).json().OperationResultCode);
		}
		t.deepEqual(results, ['Rejected', 'Success', 'Rejected', 'Success', 'Rejected', 'Rejected']);

		const rows: { action: string; actor: string; subject: string }[] = await rooms.database
			.knex('audit')
			.orderBy('seq');
		t.deepEqual(
			rows.filter(({ action }) => action.startsWith('gateway.')).map(({ action, actor }) => `${actor} ${action}`),
			['preauth', 'capture', 'capture', 'capture', 'refund', 'refund', 'void'].map((name) => `agency gateway.${name}`),
		);
		t.is(rows.find(({ action }) => action === 'gateway.preauth')!.subject, `token ${token}`);
		t.true((await rooms.audit.verify()).isWhole);
	});
}

const answers = test.macro(async (t, body: object, code: string) => {
	const { caller } = await open(t);
	const response = await operate(caller, { ...CHARGE, ...body });
	t.is(response.statusCode, 200, response.body);
	t.is(response.json().OperationResultCode, code);
});

test('shapes §11: an amount ending in .05 is rejected', answers, { Amount: 10.05 }, 'Rejected');
test('shapes §11: an amount ending in .51 is a temporary failure', answers, { Amount: 3.51 }, 'TemporaryFailure');
test('shapes §11: an amount ending in .91 is a fatal failure', answers, { Amount: 0.91 }, 'FatalFailure');
test('shapes §11: an amount ending in .77 never answers', answers, { Amount: 2.77 }, 'TemporaryFailure');
test(
	'shapes §11: number 4000000000000002 is rejected',
	answers,
	{ Card: { ...CARD, Number: '4000000000000002' } },
	'Rejected',
);
test('a card is verified by a PreAuth of nothing', answers, { OperationType: 'PreAuth', Amount: 0 }, 'Success');
test('an amount may have as many decimals as its currency', answers, { Amount: '10.230', Currency: 'BHD' }, 'Success');

const refuses = test.macro(
	async (t, change: object, moreInfo: RegExp, more: { status?: number; query?: string } = {}) => {
		const { status = 400, query } = more;
		const { rooms, caller } = await open(t);
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
	const { caller } = await open(t);
	for (const call of [
		json('{"OperationType":'),
		xml('<PaymentGatewayRequest><'),
		xml('<Other/>'),
		json('[]'),
		json(''),
	]) {
		const response = await caller.inject('POST', PATH, {
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
	const { rooms, caller } = await open(t);
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

test('needs the permission Gateway, and costs a unit unless it is refused', async (t) => {
	const { rooms } = await open(t);
	const guest = await rooms.createCaller('guest', { permissions: ['Tokenize'] });
	const refused = await operate(guest, CHARGE);
	t.is(refused.statusCode, 403);
	t.is(refused.json().message, 'Permission Gateway is required');
	const poor = await rooms.createCaller('poor', { allowanceLimit: 1 });
	t.is((await operate(poor, { ...CHARGE, Amount: null })).statusCode, 400);
	t.is((await operate(poor, CHARGE)).statusCode, 200);
	t.is((await operate(poor, CHARGE)).statusCode, 403);
});

test('bodies and answers may be XML, names in any case', async (t) => {
	const { caller } = await open(t);
	const body = `<PaymentGatewayRequest><operationtype>charge</operationtype><Card><Number>${VISA}</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate></Card><Amount>10.10</Amount><Currency>usd</Currency><PaymentGateway><Name>sandbox</Name></PaymentGateway></PaymentGatewayRequest>`;
	const response = await caller.inject('POST', PATH, xml(body));
	t.is(response.statusCode, 200, response.body);
	t.regex(
		response.body,
		/^<PaymentGatewayResponse><OperationType>Charge<\/OperationType><OperationResultCode>Success</,
	);
	t.regex(response.body, /<Amount>10.1<\/Amount><Currency>USD<\/Currency>/);
});

test('GET lists the gateways with what they need', async (t) => {
	const { rooms, caller } = await open(t);
	t.is((await rooms.app.inject({ method: 'GET', url: PATH })).statusCode, 401);
	const listed = (await caller.inject('GET', PATH, asJson)).json();
	t.deepEqual(
		listed.map(({ Name }: { Name: string }) => Name),
		['Adyen', 'ExampleAcquirer', 'Sandbox', 'Stripe'],
	);
	t.deepEqual(listed[3].Operations, ['PreAuth', 'Capture', 'Charge', 'Refund', 'Void']);
	t.is(listed[3].Credentials[0].Name, 'SecretKey');
	t.regex(
		(await caller.inject('GET', PATH, { headers: { accept: 'text/xml' } })).body,
		/^<ArrayOfPaymentGateway><PaymentGateway>/,
	);
});

test('credentials are kept sealed, shown masked, used and removed', async (t) => {
	const { acquirer, stripe, settings } = await openProviders(t);
	const { rooms, caller } = await open(t, { gateway: { ...settings, deadlineMs: 20_000 } });
	const place = `${PATH}/credentials/main`;
	const body = { Name: 'exampleacquirer', Credentials: { apikey: ACQUIRER_KEY, MerchantId: ACQUIRER_MERCHANT } };
	const put = await caller.inject('PUT', place, json(body));
	t.is(put.statusCode, 200, put.body);
	const { CreateDate, UpdateDate, ...shown } = put.json();
	t.deepEqual(shown, {
		...{ CredentialsId: 'main', Name: 'ExampleAcquirer' },
		Credentials: { ApiKey: '********', MerchantId: ACQUIRER_MERCHANT },
	});
	t.is(CreateDate, UpdateDate);
	t.deepEqual((await caller.inject('GET', place, asJson)).json().Credentials, shown.Credentials);
	const [row] = await rooms.database.knex('gateway_credentials');
	t.false(row.sealed.includes(ACQUIRER_KEY));

	const response = await operate(caller, { ...CHARGE, PaymentGateway: null }, '?credentialsId=main');
	t.is(response.json().OperationResultCode, 'Success', response.body);
	t.is(acquirer.payments.length, 1);
	const other = await rooms.createCaller('other');
	t.is((await other.inject('GET', place, asJson)).statusCode, 404);
	t.is((await operate(other, CHARGE, '?credentialsId=main')).statusCode, 400);
	const both = { ...CHARGE, PaymentGateway: { Name: 'Stripe', Credentials: { SecretKey: STRIPE_KEY } } };
	t.regex((await operate(caller, both, '?credentialsId=main')).json().moreInfo, /for another gateway/);
	t.is((await operate(caller, both)).json().OperationResultCode, 'Success', 'credentials may come with the call');
	t.is(stripe.intents.length, 1);

	t.is((await caller.inject('DELETE', place, asJson)).statusCode, 200);
	t.is((await caller.inject('DELETE', place, asJson)).statusCode, 404);
});

test('spec §7.2.4: credentials that are no good are listed by field', async (t) => {
	const { caller } = await open(t);
	const put = (body: object, id = 'main') => caller.inject('PUT', `${PATH}/credentials/${id}`, json(body));
	const wrong = await put(
		{ Name: 'Stripe', Credentials: { SecretKey: 'pk_test_1234567890', Colour: 'red' } },
		'4111111111111111',
	);
	t.is(wrong.statusCode, 400);
	t.deepEqual(wrong.json(), {
		errors: {
			credentialsId: ['expected 1 to 64 letters, digits, dots, hyphens or underscores'],
			'Credentials.SecretKey': ['expected a secret key (sk_…) or a restricted key (rk_…)'],
			Credentials: ['expected nothing but SecretKey'],
		},
	});
	t.deepEqual(Object.keys((await put({ Name: 'Nobody' })).json().errors), ['Name']);
	const shaped = async (body: string) =>
		(await caller.inject('PUT', `${PATH}/credentials/main`, { ...json({}), payload: body })).json();
	t.deepEqual(await shaped('{"Name"'), { errors: { body: ['not valid JSON'] } });
	t.deepEqual(await shaped('[]'), { errors: { body: ['expected an object'] } });
	t.deepEqual(await shaped('{"Name":["Stripe"]}'), { errors: { Name: ['expected a single value'] } });
	t.deepEqual(await shaped('{"Name":"Stripe","Credentials":{"SecretKey":{}}}'), {
		errors: { 'Credentials.SecretKey': ['expected a single value'] },
	});
	t.deepEqual((await put({})).json().errors, { Name: ['is required'] });
	t.deepEqual((await put({ Name: 'Adyen' })).json().errors, {
		'Credentials.ApiKey': ['is required'],
		'Credentials.MerchantAccount': ['is required'],
	});
});

test('the mask that credentials are shown with does not take the place of a secret', async (t) => {
	const { caller } = await open(t);
	const place = `${PATH}/credentials/main`;
	const Credentials = { ApiKey: 'AQEyhmfxK4bJbhdAw0m', MerchantAccount: 'Old' };
	await caller.inject('PUT', place, json({ Name: 'Adyen', Credentials }));
	const shown = (await caller.inject('GET', place, asJson)).json();
	shown.Credentials.MerchantAccount = 'New';
	const again = await caller.inject('PUT', place, json(shown));
	t.is(again.statusCode, 400, again.body);
	t.deepEqual(again.json(), {
		errors: { 'Credentials.ApiKey': ['expected the secret itself, not its mask'] },
	});
});

test('a transaction is found by its location, by MyRef and by its payment, by its own account only', async (t) => {
	const { rooms, caller } = await open(t);
	const charged = await operate(caller, CHARGE);
	const { GatewayReference } = charged.json();
	await operate(caller, { ...SANDBOX, OperationType: 'Refund', GatewayReference, Amount: 1, Currency: 'USD' });
	const location = String(charged.headers.location).replace('https://vault.example', '');
	t.regex(location, /^\/api\/paymentGateway\/transactions\/[0-9a-z]{26}$/);
	const found = (await caller.inject('GET', location, asJson)).json();
	t.like(found, { ...charged.json(), State: 'approved', MyRef: 'order-1', OriginalReference: null });
	const list = async (who: Caller, query: string) =>
		(await who.inject('GET', `${PATH}/transactions?${query}`, asJson)).json();
	t.deepEqual(await list(caller, 'myref=order-1'), [found]);
	const both = await list(caller, `gatewayReference=${GatewayReference}`);
	t.deepEqual(
		both.map(({ OperationType }: { OperationType: string }) => OperationType),
		['Charge', 'Refund'],
	);
	t.is((await list(caller, 'from=1&num=5')).length, 1);
	const stranger = await rooms.createCaller('stranger');
	t.deepEqual(await list(stranger, 'myref=order-1'), []);
	t.is((await stranger.inject('GET', location, asJson)).statusCode, 404);
	const theirs = { ...SANDBOX, OperationType: 'Refund', GatewayReference, Amount: 1, Currency: 'USD' };
	t.is((await operate(stranger, theirs)).json().OperationResultCode, 'Rejected', "another account's payment is none");
	const currency = await operate(caller, { ...theirs, Currency: 'EUR' });
	t.regex(currency.json().moreInfo, /Currency: expected the currency of the original payment/);
});

test('shapes §1: the same idempotency key is carried out once and answered by what is known now', async (t) => {
	const { stripe, settings } = await openProviders(t);
	const { rooms, caller } = await open(t, { gateway: { ...settings, deadlineMs: 20_000 } });
	const body = { ...CHARGE, PaymentGateway: { Name: 'Stripe', Credentials: { SecretKey: STRIPE_KEY } } };
	const key = { 'idempotency-key': 'order-1-charge' };
	stripe.mode = 'lost';
	const first = await operate(caller, body, '', key);
	t.is(first.json().OperationResultCode, 'TemporaryFailure');
	t.regex(first.json().OperationResultDescription, /outcome is not known/);
	stripe.mode = 'normal';
	const again = await operate(caller, body, '', key);
	t.deepEqual(again.json(), first.json(), 'still not known, and not sent again');
	t.is(stripe.asked.length, 1);
	const other = await operate(caller, { ...body, Amount: 11 }, '', key);
	t.is(other.statusCode, 400, 'another request under the key');
	t.is(other.json().moreInfo, 'Idempotency-Key: was used before with another request');
	await rooms.createCaller('branch', { kind: 'sub-user', parent: 'agency' }).then(async (branch) => {
		t.is(
			(await operate(branch, { ...CHARGE, Amount: 7 }, '', key)).statusCode,
			200,
			'keys are of the account that calls',
		);
	});
	rooms.clock.turn(61_000);
	t.deepEqual(await rooms.gateway.settle(), { settled: 1, open: 0 });
	const settled = await operate(caller, body, '', key);
	t.is(settled.json().OperationResultCode, 'Success');
	t.is(settled.headers.location, first.headers.location);
	t.is(stripe.intents.length, 1);
	const row = await rooms.database.knex('gateway_attempts').where({ gateway: 'Stripe' }).first();
	t.is(stripe.asked[0].headers['idempotency-key'], row.idempotency_key);
	t.is((await operate(caller, { ...body, Amount: 11 }, '', key)).statusCode, 400, 'another request under the key');
	rooms.clock.turn(25 * 3_600_000);
	await operate(caller, { ...body, Amount: 12 }, '', key);
	t.is(stripe.intents.length, 2, 'a day later the key is free');
});
