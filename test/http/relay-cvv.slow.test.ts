// Those tests of relay-cvv.test.ts that take long.

import test from 'ava';
import { databases } from '../helpers/database.ts';
import { callsOf, JSON_PROFILE, silence } from '../helpers/third-party.ts';
import { CVV, openCvv, WITH_CVV } from './relay-cvv.setup.ts';

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
	const { relay, party, store, parts, setPolicy, cvvs } = await openCvv(t);
	const agency = await parts.createCaller('agency');
	await parts.profiles.put(agency.account.id, JSON_PROFILE);
	const relays = {
		Owner: relay,
		OtherMerchant: callsOf(agency, party).relay,
		OtherUser: callsOf(await parts.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party).relay,
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
