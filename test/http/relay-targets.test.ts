// Tests what is found out about a target before anything is recorded, counted or stored, and the places that calls share.

import test from 'ava';
import { callsOf, isRefused, JSON_PROFILE, openPartnership, usedUnits } from '../helpers/third-party.ts';
import { entries, holding, UNKNOWN, untilSeen } from './relay-targets.setup.ts';

const SHARE = 'relay.maxInFlightPerAccount: the account has as many calls under way as it may';

test('shapes §11: a connection that is refused was tried: the entry stays', async (t) => {
	const { relay, store, parts } = await openPartnership(t);
	const refused = await relay({ cardToken: await store(), targetUri: 'http://127.0.0.1:1/' });
	t.is(refused.statusCode, 502);
	t.is(await entries(parts, 'card.relay'), 1);
});

test('an account whose targets hang has its share of the places; another account’s relay passes', async (t) => {
	const { answer, release } = holding();
	const { relay, capture, store, parts, party } = await openPartnership(t, {
		answer,
		account: { allowanceLimit: 100 },
		relay: { maxInFlight: 4, maxInFlightPerAccount: 2 },
	});
	const cardToken = await store();
	const held = [relay({ cardToken }), capture()];
	await untilSeen(party, 2);
	const before = await usedUnits(parts);
	for (const refused of [await relay({ cardToken }), await capture()]) {
		isRefused(t, refused, 503, { ...UNKNOWN, moreInfo: SHARE });
		t.truthy(refused.headers['retry-after']);
	}
	t.is(await usedUnits(parts), before, 'what was not sent costs nothing');
	t.is(await entries(parts, 'card.relay'), 1);

	const clerk = callsOf(await parts.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party);
	isRefused(t, await clerk.relay({ cardToken }), 503, { ...UNKNOWN, moreInfo: SHARE });

	party.answers({});
	const other = await parts.createCaller('other');
	await parts.profiles.put(other.account.id, JSON_PROFILE);
	const calls = callsOf(other, party);
	t.is((await calls.relay({ cardToken: await calls.store() })).statusCode, 200);
	release();
	for (const { statusCode } of await Promise.all(held)) t.is(statusCode, 200);
	t.is((await relay({ cardToken })).statusCode, 200);
});
