import test from 'ava';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT } from '../gateway/servers/acquirer-server.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { STRIPE_KEY } from '../gateway/servers/stripe-server.ts';
import { asJson, json } from '../helpers/card-calls.ts';
import { CHARGE, GATEWAY_PATH, openPayer, operate } from '../helpers/gateway-calls.ts';

test('credentials are kept sealed, shown masked, used and removed', async (t) => {
	const { acquirer, stripe, settings } = await openProviders(t);
	const { parts, caller } = await openPayer(t, { gateway: { ...settings, deadlineMs: 20_000 } });
	const place = `${GATEWAY_PATH}/credentials/main`;
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
	const [row] = await parts.database.knex('gateway_credentials');
	t.false(row.sealed.includes(ACQUIRER_KEY));

	const response = await operate(caller, { ...CHARGE, PaymentGateway: null }, '?credentialsId=main');
	t.is(response.json().OperationResultCode, 'Success', response.body);
	t.is(acquirer.payments.length, 1);
	const other = await parts.createCaller('other');
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
	const { caller } = await openPayer(t);
	const put = (body: object, id = 'main') => caller.inject('PUT', `${GATEWAY_PATH}/credentials/${id}`, json(body));
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
		(await caller.inject('PUT', `${GATEWAY_PATH}/credentials/main`, { ...json({}), payload: body })).json();
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
	const { caller } = await openPayer(t);
	const place = `${GATEWAY_PATH}/credentials/main`;
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
