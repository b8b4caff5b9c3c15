import test from 'ava';
import { openProviders } from '../gateway/servers/gateways.ts';
import { STRIPE_KEY } from '../gateway/servers/stripe-server.ts';
import { asJson, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { CARD, CHARGE, GATEWAY_PATH, openPayer, operate, SANDBOX } from '../helpers/gateway-calls.ts';
import type { Caller } from '../helpers/http-app.ts';

for (const dialect of databases) {
	test(`shapes §7: every operation over its whole life, with the sandbox gateway (${dialect})`, async (t) => {
		const { parts, caller } = await openPayer(t, {}, dialect);
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

		const rows: { action: string; actor: string; subject: string; details: string }[] = await parts.database
			.knex('audit')
			.orderBy('seq');
		t.deepEqual(
			rows.filter(({ action }) => action.startsWith('gateway.')).map(({ action, actor }) => `${actor} ${action}`),
			['preauth', 'capture', 'capture', 'capture', 'refund', 'refund', 'void'].map((name) => `agency gateway.${name}`),
		);
		const cameWith = { address: '127.0.0.1', credential: 'api-key 1' };
		for (const { action, details } of rows) if (action.startsWith('gateway.')) t.like(JSON.parse(details), cameWith);
		t.is(rows.find(({ action }) => action === 'gateway.preauth')!.subject, `token ${token}`);
		t.true((await parts.audit.verify()).isWhole);
	});
}

const answers = test.macro(async (t, body: object, code: string) => {
	const { caller } = await openPayer(t);
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

test('needs the permission Gateway, and costs a unit unless it is refused', async (t) => {
	const { parts } = await openPayer(t);
	const guest = await parts.createCaller('guest', { permissions: ['Tokenize'] });
	const refused = await operate(guest, CHARGE);
	t.is(refused.statusCode, 403);
	t.is(refused.json().message, 'Permission Gateway is required');
	const poor = await parts.createCaller('poor', { allowanceLimit: 1 });
	t.is((await operate(poor, { ...CHARGE, Amount: null })).statusCode, 400);
	t.is((await operate(poor, CHARGE)).statusCode, 200);
	t.is((await operate(poor, CHARGE)).statusCode, 403);
});

test('bodies and answers may be XML, names in any case', async (t) => {
	const { caller } = await openPayer(t);
	const body = `<PaymentGatewayRequest><operationtype>charge</operationtype><Card><Number>${VISA}</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate></Card><Amount>10.10</Amount><Currency>usd</Currency><PaymentGateway><Name>sandbox</Name></PaymentGateway></PaymentGatewayRequest>`;
	const response = await caller.inject('POST', GATEWAY_PATH, xml(body));
	t.is(response.statusCode, 200, response.body);
	t.regex(
		response.body,
		/^<PaymentGatewayResponse><OperationType>Charge<\/OperationType><OperationResultCode>Success</,
	);
	t.regex(response.body, /<Amount>10.1<\/Amount><Currency>USD<\/Currency>/);
});

test('GET lists the gateways with what they need', async (t) => {
	const { parts, caller } = await openPayer(t);
	t.is((await parts.app.inject({ method: 'GET', url: GATEWAY_PATH })).statusCode, 401);
	const listed = (await caller.inject('GET', GATEWAY_PATH, asJson)).json();
	t.deepEqual(
		listed.map(({ Name }: { Name: string }) => Name),
		['Adyen', 'ExampleAcquirer', 'Sandbox', 'Stripe'],
	);
	t.deepEqual(listed[3].Operations, ['PreAuth', 'Capture', 'Charge', 'Refund', 'Void']);
	t.is(listed[3].Credentials[0].Name, 'SecretKey');
	t.regex(
		(await caller.inject('GET', GATEWAY_PATH, { headers: { accept: 'text/xml' } })).body,
		/^<ArrayOfPaymentGateway><PaymentGateway>/,
	);
});

test('a transaction is found by its location, by MyRef and by its payment, by its own account only', async (t) => {
	const { parts, caller } = await openPayer(t);
	const charged = await operate(caller, CHARGE);
	const { GatewayReference } = charged.json();
	await operate(caller, { ...SANDBOX, OperationType: 'Refund', GatewayReference, Amount: 1, Currency: 'USD' });
	const location = String(charged.headers.location).replace('https://vault.example', '');
	t.regex(location, /^\/api\/paymentGateway\/transactions\/[0-9a-z]{26}$/);
	const found = (await caller.inject('GET', location, asJson)).json();
	t.like(found, { ...charged.json(), State: 'approved', MyRef: 'order-1', OriginalReference: null });
	const list = async (who: Caller, query: string) =>
		(await who.inject('GET', `${GATEWAY_PATH}/transactions?${query}`, asJson)).json();
	t.deepEqual(await list(caller, 'myref=order-1'), [found]);
	const both = await list(caller, `gatewayReference=${GatewayReference}`);
	t.deepEqual(
		both.map(({ OperationType }: { OperationType: string }) => OperationType),
		['Charge', 'Refund'],
	);
	t.is((await list(caller, 'from=1&num=5')).length, 1);
	const stranger = await parts.createCaller('stranger');
	t.deepEqual(await list(stranger, 'myref=order-1'), []);
	t.is((await stranger.inject('GET', location, asJson)).statusCode, 404);
	const theirs = { ...SANDBOX, OperationType: 'Refund', GatewayReference, Amount: 1, Currency: 'USD' };
	t.is((await operate(stranger, theirs)).json().OperationResultCode, 'Rejected', "another account's payment is none");
	const currency = await operate(caller, { ...theirs, Currency: 'EUR' });
	t.regex(currency.json().moreInfo, /Currency: expected the currency of the original payment/);
});

test('shapes §1: the same idempotency key is carried out once and answered by what is known now', async (t) => {
	const { stripe, settings } = await openProviders(t);
	const { parts, caller } = await openPayer(t, { gateway: { ...settings, deadlineMs: 20_000 } });
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
	await parts.createCaller('branch', { kind: 'sub-user', parent: 'agency' }).then(async (branch) => {
		t.is(
			(await operate(branch, { ...CHARGE, Amount: 7 }, '', key)).statusCode,
			200,
			'keys are of the account that calls',
		);
	});
	parts.clock.turn(61_000);
	t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 0 });
	const settled = await operate(caller, body, '', key);
	t.is(settled.json().OperationResultCode, 'Success');
	t.is(settled.headers.location, first.headers.location);
	t.is(stripe.intents.length, 1);
	const row = await parts.database.knex('gateway_attempts').where({ gateway: 'Stripe' }).first();
	t.is(stripe.asked[0].headers['idempotency-key'], row.idempotency_key);
	t.is((await operate(caller, { ...body, Amount: 11 }, '', key)).statusCode, 400, 'another request under the key');
	parts.clock.turn(25 * 3_600_000);
	await operate(caller, { ...body, Amount: 12 }, '', key);
	t.is(stripe.intents.length, 2, 'a day later the key is free');
});
