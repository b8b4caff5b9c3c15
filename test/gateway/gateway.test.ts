import { dirname } from 'node:path';
import test from 'ava';
import { json, storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { GATEWAY_PATH } from '../helpers/gateway-calls.ts';
import { CVV, openPayments, pay } from '../helpers/provider-payments.ts';
import { sweepFolder, sweepTables } from '../helpers/secrecy.ts';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT } from './servers/acquirer-server.ts';
import { STRIPE_KEY } from './servers/stripe-server.ts';

const MINUTE_MS = 60_000;
const sentCvv = (body: string) => new URLSearchParams(body).get('payment_method_data[card][cvc]');

for (const dialect of databases) {
	test(`shapes §3: an approved authorisation destroys the CVV of its card (${dialect})`, async (t) => {
		const { parts, caller, stripe } = await openPayments(t, dialect);
		const token = await storeCard(caller, '', { CVV });
		const policy = { CvvRetentionPolicyList: [{ DestinationType: 'Gateway', DestinationData: 'stripe', Quota: 3 }] };
		await caller.inject('PUT', `/api/payments/paycard/${token}/cvvRetentionPolicy`, json(policy));
		stripe.mode = 'decline';
		t.is((await pay(caller, { CardToken: token })).OperationResultCode, 'Rejected');
		t.like((await parts.database.knex('cvv_destinations'))[0], { used: 1 }, 'the use is counted, the CVV is kept');
		stripe.mode = 'normal';
		t.is((await pay(caller, { CardToken: token, OperationType: 'PreAuth' })).OperationResultCode, 'Success');
		t.deepEqual(await parts.database.knex('cvvs'), []);
		t.is((await pay(caller, { CardToken: token })).OperationResultCode, 'Success', 'without it from now on');
		t.deepEqual(
			stripe.asked.map(({ body }) => sentCvv(body)),
			[CVV, CVV, null],
		);
		const rows = await parts.database.knex('gateway_attempts').orderBy('id');
		t.deepEqual(
			rows.map(({ state }) => state),
			['declined', 'approved', 'approved'],
		);
		t.is(rows[0].masked_number, '411111******1111');
	});

	test(`shapes §11: captures and refunds at the same moment take no more than there is (${dialect})`, async (t) => {
		const { caller } = await openPayments(t, dialect);
		const sandbox = { PaymentGateway: { Name: 'Sandbox' }, Amount: 4 };
		const authorised = await pay(caller, {
			...{ ...sandbox, Amount: 10, OperationType: 'PreAuth' },
			CardToken: await storeCard(caller),
		});
		const atOnce = async (OperationType: string, count: number) => {
			const asked = { ...sandbox, OperationType, GatewayReference: authorised.GatewayReference };
			const answers = await Promise.all(Array.from({ length: count }, () => pay(caller, asked)));
			return answers.map(({ OperationResultCode }) => OperationResultCode).sort();
		};
		t.deepEqual(await atOnce('Capture', 5), ['Rejected', 'Rejected', 'Rejected', 'Success', 'Success']);
		t.deepEqual(await atOnce('Refund', 4), ['Rejected', 'Rejected', 'Success', 'Success']);
		const listed = await caller.inject(
			'GET',
			`${GATEWAY_PATH}/transactions?gatewayReference=${authorised.GatewayReference}`,
		);
		t.is(listed.json().filter(({ State }: { State: string }) => State === 'approved').length, 5);
	});
}

test('any reference that a gateway gives to a payment, even with slashes, is accepted in later operations', async (t) => {
	const { caller, acquirer } = await openPayments(t);
	const Credentials = { ApiKey: ACQUIRER_KEY, MerchantId: ACQUIRER_MERCHANT };
	const asked = { PaymentGateway: { Name: 'ExampleAcquirer', Credentials } };
	const authorised = await pay(caller, { ...asked, OperationType: 'PreAuth', CardToken: await storeCard(caller) });
	t.is(authorised.GatewayReference, 'acq/a+b=:1');
	const { GatewayReference } = authorised;
	const captured = await pay(caller, { ...asked, OperationType: 'Capture', GatewayReference });
	t.is(captured.OperationResultCode, 'Success');
	t.is(acquirer.asked.at(-1)!.path, '/v1/payments/acq%2Fa%2Bb%3D%3A1/captures');
	t.is(acquirer.payments[0].status, 'captured');
});

test('a policy that does not name the gateway leaves the CVV here, and an approval destroys it', async (t) => {
	const { parts, caller, stripe } = await openPayments(t);
	const token = await storeCard(caller, '', { CVV });
	const policy = { CvvRetentionPolicyList: [{ DestinationType: 'HostName', DestinationData: 'partner.example' }] };
	await caller.inject('PUT', `/api/payments/paycard/${token}/cvvRetentionPolicy`, json(policy));
	t.is((await pay(caller, { CardToken: token })).OperationResultCode, 'Success');
	t.is(sentCvv(stripe.asked[0].body), null);
	t.deepEqual(await parts.database.knex('cvvs'), []);
});

test('approval, CVV and audit entry are recorded together or not at all; the caller hears the truth', async (t) => {
	const { parts, caller, stripe } = await openPayments(t);
	const token = await storeCard(caller, '', { CVV });
	const policy = { CvvRetentionPolicyList: [{ DestinationType: 'Gateway', Quota: 2 }] };
	await caller.inject('PUT', `/api/payments/paycard/${token}/cvvRetentionPolicy`, json(policy));
	const { record } = parts.audit;
	(parts.audit as { record: unknown }).record = async (...entry: Parameters<typeof record>) => {
		if (entry[0].action.startsWith('gateway.')) throw new Error('the trail is away');
		return record(...entry);
	};
	t.is((await pay(caller, { CardToken: token })).OperationResultCode, 'Success');
	t.is((await parts.database.knex('cvvs')).length, 1);
	t.is((await parts.database.knex('gateway_attempts').first()).state, 'sent');
	(parts.audit as { record: unknown }).record = record;
	parts.clock.turn(MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 0 });
	t.deepEqual(await parts.database.knex('cvvs'), []);
	t.is(stripe.intents.length, 1);
});

test('neither journal nor any other table nor the log hold a number, a CVV or a secret', async (t) => {
	const { parts, caller, stripe, acquirer } = await openPayments(t);
	const number = '5555555555554444';
	const card = { Number: number, NameOnCard: 'A HOLDER', ExpirationDate: { Month: '04', Year: '2030' }, CVV: '873' };
	const key = 'acq_live_ContractTests';
	const EXAMPLE = { PaymentGateway: { Name: 'ExampleAcquirer', Credentials: { ApiKey: key, MerchantId: 'M-100' } } };
	const answers: unknown[] = [];
	for (const mode of ['normal', 'decline', 'lost', 'garbage', 'error', 'busy'] as const) {
		stripe.mode = mode;
		acquirer.mode = mode;
		answers.push(await pay(caller, { Card: card }), await pay(caller, { ...EXAMPLE, Card: card }));
	}
	const { leaks, rows } = await sweepTables(parts.database, { numbers: [number], passages: [] });
	t.deepEqual(leaks, []);
	t.true(rows > 12);
	const folder = sweepFolder(dirname(parts.database.file!), { numbers: [number], passages: [] });
	t.deepEqual(folder.leaks, [], 'not in the files of the database either');
	t.true(folder.files > 0);
	const attempts = await parts.database.knex('gateway_attempts');
	const text = `${JSON.stringify(answers)} ${parts.logText()} ${JSON.stringify(attempts, (name, value) => (name === 'sealed_credentials' ? null : value))}`;
	for (const secret of [number, STRIPE_KEY, key]) t.false(text.includes(secret));
	t.notRegex(text.replace(/\d{4,}/g, ''), /cvv 873|\(873\)/);
	for (const row of attempts) t.false(row.sealed_credentials?.includes(STRIPE_KEY) ?? false);
	t.true(stripe.text().includes(number) && acquirer.text().includes('873'), 'but the gateways got them');
});
