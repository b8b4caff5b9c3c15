// Tests CVVs that are sent to third parties: each is used once unless a policy says otherwise, counted before it leaves,
// and never given back.

import test, { type ExecutionContext } from 'ava';
import { json } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { callsOf, JSON_PROFILE, openPartnership, type PartnerOptions, silence } from '../helpers/third-party.ts';

const CVV = '306';
const WITH_CVV = { payload: '{"card":{"number":"","cvv":""}}' };
const KEEPS = { account: { cvvRetention: true } };

interface Destination {
	readonly DestinationType: string;
	readonly DestinationData?: string;
	readonly Quota?: number;
}

async function openCvv(t: ExecutionContext<unknown>, options: PartnerOptions = {}) {
	const partnership = await openPartnership(t, { ...KEEPS, ...options });
	const { caller, party, rooms, relay } = partnership;
	const cvvs = () => party.seen.map(({ text }) => (JSON.parse(text).card.cvv === CVV ? CVV : ''));
	return {
		...partnership,
		/** Returns the CVVs that arrived. */
		cvvs,
		relayTo: (host: string, cardToken: string) =>
			relay({ cardToken, targetUri: `http://${host}:${new URL(party.url).port}/` }, WITH_CVV),
		async setPolicy(token: string, list: readonly Destination[]) {
			const body = { CvvRetentionPolicyList: list };
			const url = `/api/payments/paycard/${token}/cvvRetentionPolicy`;
			const answer = await caller.inject('PUT', url, json(body));
			t.is(answer.statusCode, 200, answer.body);
		},
		async exists(token: string): Promise<boolean> {
			return (await rooms.vault.findMetadata(caller.account.id, token as never))!.cvvEndsAt !== null;
		},
	};
}

for (const dialect of databases) {
	test(`${dialect}: shapes §3: by default a CVV goes out once and is gone`, async (t) => {
		const { relay, store, cvvs, exists } = await openCvv(t, { dialect });
		const cardToken = await store({ CVV });
		t.true(await exists(cardToken));
		for (let calls = 0; calls < 3; calls++) t.is((await relay({ cardToken }, WITH_CVV)).statusCode, 200);
		t.deepEqual(cvvs(), [CVV, '', '']);
		t.false(await exists(cardToken));
	});

	test(`${dialect}: shapes §3: relays at the same time never exceed a quota`, async (t) => {
		const { relay, store, cvvs, setPolicy } = await openCvv(t, { dialect });
		const once = await store({ CVV });
		const thrice = await store({ CVV });
		await setPolicy(thrice, [{ DestinationType: 'Owner', Quota: 3 }]);
		const calls = Array.from({ length: 20 }, (_, nth) => relay({ cardToken: nth % 2 ? once : thrice }, WITH_CVV));
		for (const { statusCode } of await Promise.all(calls)) t.is(statusCode, 200);
		t.is(cvvs().filter((cvv) => cvv === CVV).length, 4);
	});
}

test('spec §2.4: an account without CVV retention has none to send', async (t) => {
	const { relay, store, cvvs } = await openCvv(t, { account: {} });
	await relay({ cardToken: await store({ CVV }) }, WITH_CVV);
	t.deepEqual(cvvs(), ['']);
});

test('shapes §3: a body without a place for a CVV costs none, nor does one that is refused', async (t) => {
	const { relay, store, cvvs, exists, party } = await openCvv(t);
	const cardToken = await store({ CVV });
	await relay({ cardToken }, { payload: '{"card":{"number":""}}' });
	await relay({ cardToken, profileName: 'Text' }, { payload: '{"card":"{{cardNumber}}"}' });
	t.is((await relay({ cardToken }, { payload: '{"other":{"cvv":""}}' })).statusCode, 400);
	t.is((await relay({ cardToken, httpMethod: 'TRACE' }, WITH_CVV)).statusCode, 400);
	t.is((await relay({ cardToken, targetUri: 'ftp://x/' }, WITH_CVV)).statusCode, 400);
	t.is((await relay({ cardToken: `${cardToken},${'0'.repeat(32)}` }, WITH_CVV)).statusCode, 400);
	t.true(await exists(cardToken));
	t.is(party.seen.length, 2);
	await relay({ cardToken }, WITH_CVV);
	t.is(cvvs().at(-1), CVV);
});

test('shapes §3: a host that is not allowed or has no address costs no use, and nothing is said to have left', async (t) => {
	const refusing = await openCvv(t, { relay: { allowPrivate: false } });
	const cardToken = await refusing.store({ CVV });
	t.is((await refusing.relay({ cardToken }, WITH_CVV)).statusCode, 400);
	t.true(await refusing.exists(cardToken));
	const nowhere = await refusing.relay({ cardToken, targetUri: 'http://nowhere.invalid/' }, WITH_CVV);
	t.is(nowhere.statusCode, 502);
	t.true(await refusing.exists(cardToken));
	t.is((await refusing.rooms.database.knex('audit').where('action', 'card.relay')).length, 0);
});

test('shapes §3: of several tokens only those whose place has room for a CVV give theirs', async (t) => {
	const { relay, store, party, exists } = await openCvv(t);
	const [first, second] = [await store({ CVV }), await store({ CVV: '1234', Number: '378282246310005', Type: 'AMEX' })];
	const payload = '{"cards":[{"number":""},{"number":"","cvv":""}]}';
	await relay({ profileName: 'Several', cardToken: `${first},${second}` }, { payload });
	t.is(JSON.parse(party.only().text).cards[1].cvv, '1234');
	t.deepEqual([await exists(first), await exists(second)], [true, false]);
	await relay({ profileName: 'Text', cardToken: `${first},${second}` }, { payload: '{{cvv:1}}{{cardType:2}}' });
	t.is(party.seen.at(-1)!.text, `${CVV}AMEX`);
	t.false(await exists(first));
});

test('shapes §3: a use is not given back when the target does not answer', async (t) => {
	const { relay, store, party, exists } = await openCvv(t, { answer: silence });
	const cardToken = await store({ CVV });
	t.is((await relay({ cardToken, timeout: 1500 }, WITH_CVV)).statusCode, 504);
	t.true(party.only().text.includes(CVV));
	t.false(await exists(cardToken));
});

test('shapes §3: HostName lets a CVV go to that host alone, as often as its quota', async (t) => {
	const { relayTo, store, cvvs, setPolicy, exists } = await openCvv(t);
	const token = await store({ CVV });
	await setPolicy(token, [{ DestinationType: 'HostName', DestinationData: 'LOCALHOST', Quota: 2 }]);
	await relayTo('127.0.0.1', token);
	await relayTo('localhost', token);
	t.true(await exists(token));
	await relayTo('localhost', token);
	await relayTo('localhost', token);
	t.deepEqual(cvvs(), ['', CVV, CVV, '']);
	t.false(await exists(token));
});

test('shapes §3: Owner, OtherMerchant and OtherUser are who calls', async (t) => {
	const { relay, party, store, rooms, setPolicy, cvvs } = await openCvv(t);
	const agency = await rooms.createCaller('agency');
	await rooms.profiles.put(agency.account.id, JSON_PROFILE);
	const relays = {
		Owner: relay,
		OtherMerchant: callsOf(agency, party).relay,
		OtherUser: callsOf(await rooms.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party).relay,
	};
	const users = { Owner: 'merchant', OtherMerchant: 'agency', OtherUser: 'clerk' };
	for (const [type, allowed] of Object.entries(users)) {
		for (const DestinationData of ['', allowed, 'somebody-else']) {
			const cardToken = await store({ CVV }, '?merchantId=agency');
			await setPolicy(cardToken, [{ DestinationType: type, DestinationData }]);
			const before = party.seen.length;
			for (const call of Object.values(relays)) t.is((await call({ cardToken }, WITH_CVV)).statusCode, 200);
			const went = cvvs().slice(before);
			const expected = Object.keys(relays).map((who) =>
				who === type && DestinationData !== 'somebody-else' ? CVV : '',
			);
			t.deepEqual(went, expected, `${type} ${DestinationData}`);
		}
	}
});

test('shapes §3: once its date has come a CVV does not go out', async (t) => {
	const { relay, store, cvvs, rooms } = await openCvv(t);
	const cardToken = await store({ CVV });
	rooms.clock.turn(8 * 86_400_000);
	await relay({ cardToken }, WITH_CVV);
	t.deepEqual(cvvs(), ['']);
});

test('shapes §3: a CVV can stand in an address that may hold a card', async (t) => {
	const inUri = JSON_PROFILE.replace('name: Partner', 'name: InUri\ncardInUri: true');
	const { relay, store, party, exists } = await openCvv(t, { profiles: [inUri] });
	const cardToken = await store({ CVV });
	const targetUri = `${party.url}/?c={{cvv}}`;
	await relay({ cardToken, targetUri, profileName: 'InUri' }, { payload: '{"card":{"number":""}}' });
	t.is(party.only().url, `/?c=${CVV}`);
	t.false(await exists(cardToken));
});
