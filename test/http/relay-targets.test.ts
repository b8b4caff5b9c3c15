// Tests what is found out about a target before anything is recorded, counted or stored, and the places that calls share.

import type { ServerResponse } from 'node:http';
import test from 'ava';
import type { CallSeen } from '../../src/work/relay/rooms.ts';
import { ACQUIRER_KEY, ACQUIRER_MERCHANT } from '../gateway/servers/acquirer-server.ts';
import { openProviders } from '../gateway/servers/gateways.ts';
import { json, VISA } from '../helpers/card-calls.ts';
import type { HttpTestRooms } from '../helpers/http-rooms.ts';
import {
	callsOf,
	isBadInput,
	isRefused,
	JSON_PROFILE,
	LIST_PROFILE,
	openPartnership,
	type ThirdParty,
	usedUnits,
} from '../helpers/third-party.ts';
import { until } from '../helpers/until.ts';

const CVV = '306';
const NOT_ALLOWED = 'targetUri: the host is not allowed';
const UNKNOWN = { code: -150, message: 'System error: unexpected condition' };
const SHARE = 'relay.maxInFlightPerAccount: the account has as many calls under way as it may';

const entries = async ({ database }: HttpTestRooms, action: string) =>
	(await database.knex('audit').where('action', action)).length;

/** Returns a target that answers nothing until the test releases it. */
function holding() {
	const held: ServerResponse[] = [];
	return {
		answer: (_: unknown, response: ServerResponse) => void held.push(response),
		release: () => {
			for (const response of held.splice(0)) response.end('late');
		},
	};
}

const untilSeen = (party: ThirdParty, requests: number) =>
	until(`${requests} requests arrive`, () => party.seen.length >= requests);

test('shapes §11: a host that may not be called leaves no entry that a card moved, with a CVV or without', async (t) => {
	const told: CallSeen['outcome'][] = [];
	const { relay, store, rooms, party } = await openPartnership(t, {
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
	t.is(await entries(rooms, 'card.relay'), 0);
	t.is(rooms.thirdParties.outbound.inFlight, 0);
	t.is(party.seen.length, 0);
	const each = ['refused', 'refused', 'refused', 'unreachable'] as const;
	t.deepEqual(told, [...each, ...each], 'and is counted among the calls');
});

test('shapes §11: a connection that is refused was tried: the entry stays', async (t) => {
	const { relay, store, rooms } = await openPartnership(t);
	const refused = await relay({ cardToken: await store(), targetUri: 'http://127.0.0.1:1/' });
	t.is(refused.statusCode, 502);
	t.is(await entries(rooms, 'card.relay'), 1);
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
	const { rooms, caller } = await openPartnership(t, { profiles: [], relay: { allowPrivate: false } });
	await rooms.profiles.put(caller.account.id, `${LIST_PROFILE}targetUri: http://127.0.0.1/\n`);
	const push = await caller.inject(
		'POST',
		'/api/inbound/merchant/Several/',
		json(`{"cards":[{"number":"${VISA}","month":"04","year":"2039"}]}`),
	);
	isBadInput(t, push, NOT_ALLOWED);
	t.is((await rooms.database.knex('token_refs')).length, 0);
	t.is(await entries(rooms, 'card.inbound'), 0);
	t.is(rooms.thirdParties.outbound.inFlight, 0);
});

test('an account whose targets hang has its share of the places; another account’s relay passes', async (t) => {
	const { answer, release } = holding();
	const { relay, capture, store, rooms, party } = await openPartnership(t, {
		answer,
		account: { allowanceLimit: 100 },
		relay: { maxInFlight: 4, maxInFlightPerAccount: 2 },
	});
	const cardToken = await store();
	const held = [relay({ cardToken }), capture()];
	await untilSeen(party, 2);
	const before = await usedUnits(rooms);
	for (const refused of [await relay({ cardToken }), await capture()]) {
		isRefused(t, refused, 503, { ...UNKNOWN, moreInfo: SHARE });
		t.truthy(refused.headers['retry-after']);
	}
	t.is(await usedUnits(rooms), before, 'what was not sent costs nothing');
	t.is(await entries(rooms, 'card.relay'), 1);

	const clerk = callsOf(await rooms.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party);
	isRefused(t, await clerk.relay({ cardToken }), 503, { ...UNKNOWN, moreInfo: SHARE });

	party.answers({});
	const other = await rooms.createCaller('other');
	await rooms.profiles.put(other.account.id, JSON_PROFILE);
	const calls = callsOf(other, party);
	t.is((await calls.relay({ cardToken: await calls.store() })).statusCode, 200);
	release();
	for (const { statusCode } of await Promise.all(held)) t.is(statusCode, 200);
	t.is((await relay({ cardToken })).statusCode, 200);
});

test('declared gateways and relays share their places, and what was not sent is told as not sent', async (t) => {
	const { acquirer, settings } = await openProviders(t);
	const { answer, release } = holding();
	const { relay, store, rooms, caller, party } = await openPartnership(t, {
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
	const other = await charge(await rooms.createCaller('other'));
	t.is(other.json().OperationResultCode, 'Success', other.body);
	release();
	t.is((await held).statusCode, 200);
	t.is((await charge()).json().OperationResultCode, 'Success');
});
