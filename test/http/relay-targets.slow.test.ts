// Those tests of relay-targets.test.ts that take long.

import test from 'ava';
import type { CallSeen } from '../../src/work/relay/third-party-call.ts';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT } from '../gateway/servers/acquirer-server.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { json, VISA } from '../helpers/card-calls.ts';
import { isBadInput, isRefused, LIST_PROFILE, openPartnership } from '../helpers/third-party.ts';
import { entries, holding, UNKNOWN, untilSeen } from './relay-targets.setup.ts';

const CVV = '306';
const NOT_ALLOWED = 'targetUri: the host is not allowed';

test('shapes §11: a host that may not be called leaves no entry that a card moved, with a CVV or without', async (t) => {
	const told: CallSeen['outcome'][] = [];
	const { relay, store, parts, party } = await openPartnership(t, {
		account: { cvvRetention: true },
		relay: { allowPrivate: false },
		lookup: async (name) => {
			if (name === 'inside.example') return [{ address: '10.0.0.7', family: 4 }];
			throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
		},
		onCalled: ({ outcome }) => void told.push(outcome),
	});
	const cardToken = await store({ CVV });
	for (const payload of ['{"card":{"number":""}}', '{"card":{"number":"","cvv":""}}']) {
		for (const host of ['127.0.0.1', '[::1]', 'inside.example']) {
			isBadInput(t, await relay({ cardToken, targetUri: `http://${host}/` }, { payload }), NOT_ALLOWED);
		}
		const nowhere = await relay({ cardToken, targetUri: 'http://nowhere.example/' }, { payload });
		isRefused(t, nowhere, 502, { ...UNKNOWN, moreInfo: 'targetUri: the host name cannot be resolved' });
	}
	t.is(await entries(parts, 'card.relay'), 0);
	t.is(parts.thirdParties.outbound.inFlight, 0);
	t.is(party.seen.length, 0);
	const each = ['refused', 'refused', 'refused', 'unreachable'] as const;
	t.deepEqual(told, [...each, ...each], 'and is counted among the calls');
});

test('a host is looked up once a connection, and a card and its CVV go to the address that was checked', async (t) => {
	let asked = 0;
	const { relay, store, party } = await openPartnership(t, {
		account: { cvvRetention: true },
		lookup: async () => [{ address: ++asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }],
	});
	const targetUri = `http://rebind.example:${new URL(party.url).port}/`;
	const cardToken = await store({ CVV });
	const withCvv = { payload: '{"card":{"number":"","cvv":""}}' };
	t.is((await relay({ cardToken, targetUri }, withCvv)).statusCode, 200);
	t.true(party.only().text.includes(CVV));
	for (let calls = 0; calls < 3; calls++) t.is((await relay({ cardToken, targetUri })).statusCode, 200);
	t.is((await relay({ cardToken: await store({ CVV }), targetUri }, withCvv)).statusCode, 200);
	t.is(asked, 1);
});

test('shapes §4: a push to a target that may not be called stores no card', async (t) => {
	const { parts, caller } = await openPartnership(t, { profiles: [], relay: { allowPrivate: false } });
	await parts.profiles.put(caller.account.id, `${LIST_PROFILE}targetUri: http://127.0.0.1/\n`);
	const push = await caller.inject(
		'POST',
		'/api/inbound/merchant/Several/',
		json(`{"cards":[{"number":"${VISA}","month":"04","year":"2039"}]}`),
	);
	isBadInput(t, push, NOT_ALLOWED);
	t.is((await parts.database.knex('token_refs')).length, 0);
	t.is(await entries(parts, 'card.inbound'), 0);
	t.is(parts.thirdParties.outbound.inFlight, 0);
});

test('declared gateways and relays share their places, and what was not sent is told as not sent', async (t) => {
	const { acquirer, settings } = await openProviders(t);
	const { answer, release } = holding();
	const { relay, store, parts, caller, party } = await openPartnership(t, {
		answer,
		relay: { maxInFlight: 2, maxInFlightPerAccount: 1 },
		gateway: { ...settings, deadlineMs: 20_000 },
	});
	const Credentials = { ApiKey: ACQUIRER_KEY, MerchantId: ACQUIRER_MERCHANT };
	const charge = (by = caller) =>
		by.inject(
			'POST',
			'/api/paymentGateway',
			json({
				...{ OperationType: 'Charge', MyRef: 'order-1', Amount: 10.23, Currency: 'USD' },
				Card: { Number: VISA, ExpirationDate: { Month: '04', Year: '2039' } },
				PaymentGateway: { Name: 'ExampleAcquirer', Credentials },
			}),
		);
	const held = relay({ cardToken: await store() });
	await untilSeen(party, 1);
	const refused = await charge();
	t.is(refused.json().OperationResultCode, 'TemporaryFailure', refused.body);
	t.is(acquirer.payments.length, 0);
	const other = await charge(await parts.createCaller('other'));
	t.is(other.json().OperationResultCode, 'Success', other.body);
	release();
	t.is((await held).statusCode, 200);
	t.is((await charge()).json().OperationResultCode, 'Success');
});
