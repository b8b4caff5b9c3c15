// Those tests of cvv.test.ts that take long.

import test from 'ava';
import { defaultCvvEnd } from '../../src/vault/cvvs/cvv-seal.ts';
import { cvvStore } from '../../src/vault/cvvs/cvv-store.ts';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { asJson, json, storeCard, xml } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { list, onBoth, openCard, use } from './cvv.setup.ts';

const DAY_MS = 86_400_000;

const POLICY = '/api/payments/paycard/{cardToken}/cvvRetentionPolicy';

onBoth('shapes §3: by default a CVV is kept for seven days and one use', async (t, parts, card) => {
	const client = await clientOf(parts, card.demo);
	const path = { cardToken: card.token };
	t.deepEqual((await client.expect(200, `GET ${POLICY}`, { path })).body, {
		CvvEndRetentionDate: new Date(parts.clock.now().getTime() + 7 * DAY_MS).toISOString(),
		DeleteCardUponCvvCleanup: false,
		CvvRetentionPolicyList: [],
	});
	t.is(await use(parts, card, 'any.example'), '306');
	t.is(await use(parts, card, 'any.example'), undefined);
	t.is((await client.expect(404, `GET ${POLICY}`, { path })).body?.code, -160);
});

onBoth('shapes §3: clear CVV takes the CVV and leaves the card; repeating it is safe', async (t, parts, card) => {
	const client = await clientOf(parts, card.demo);
	const call = { path: { cardToken: card.token } };
	const first = await client.expect(200, 'DELETE /api/payments/paycard/{cardToken}/cvv', call);
	t.is(first.text, '');
	await client.expect(200, 'DELETE /api/payments/paycard/{cardToken}/cvv', call);
	t.false((await client.expect(200, 'GET /api/payments/paycard/{cardToken}/meta', call)).body.CvvExists);
	t.is(await use(parts, card, 'any.example'), undefined);
	t.is((await parts.database.knex('audit').where('action', 'cvv.clear')).length, 2);
});

const TWO = [{ DestinationType: 'HostName', DestinationData: 'Bank.example', Quota: 2 }, { destinationtype: 'owner' }];

onBoth('shapes §3: a policy says where to and how often, and reading it adds what was used', async (t, parts, card) => {
	const end = new Date(parts.clock.now().getTime() + 30 * DAY_MS).toISOString();
	const set = await card.demo.inject(
		'PUT',
		card.policy,
		json({ CvvEndRetentionDate: end, CvvRetentionPolicyList: TWO }),
	);
	t.is(set.statusCode, 200);
	t.is(await use(parts, card, 'elsewhere.example'), undefined);
	t.is(await use(parts, card, 'bank.example'), '306');
	const expected = {
		CvvEndRetentionDate: end,
		DeleteCardUponCvvCleanup: false,
		CvvRetentionPolicyList: [
			{ DestinationType: 'HostName', DestinationData: 'Bank.example', Quota: 2, Usage: 1 },
			{ DestinationType: 'Owner', DestinationData: '', Quota: 1, Usage: 0 },
		],
	};
	t.deepEqual((await card.demo.inject('GET', card.policy, asJson)).json(), expected);
	const one = (await card.demo.inject('GET', `${card.policy}/hostname/BANK.example`, asJson)).json();
	t.deepEqual(one.CvvRetentionPolicyList, [expected.CvvRetentionPolicyList[0]]);
	t.is((await card.demo.inject('GET', `${card.policy}/SFTP`, asJson)).statusCode, 404);
	t.is((await card.demo.inject('GET', `${card.policy}/Nowhere`, asJson)).statusCode, 400);
	// Setting the policy again does not reset the uses that were counted.
	await card.demo.inject('PUT', card.policy, json({ CvvEndRetentionDate: end, CvvRetentionPolicyList: TWO }));
	t.deepEqual((await card.demo.inject('GET', card.policy, asJson)).json(), expected);
	t.is(await use(parts, card, 'bank.example'), '306');
	t.is(await use(parts, card, 'bank.example'), undefined);
});

onBoth('shapes §3: the same policy in XML', async (t, _, card) => {
	const text = `<CardCvvRetentionPolicy><CvvEndRetentionDate>2026-12-24</CvvEndRetentionDate><DeleteCardUponCvvCleanup>false</DeleteCardUponCvvCleanup><CvvRetentionPolicyList><CvvRetentionPolicyDestination><DestinationType>SFTP</DestinationType><Quota>3</Quota></CvvRetentionPolicyDestination></CvvRetentionPolicyList></CardCvvRetentionPolicy>`;
	t.is((await card.demo.inject('PUT', card.policy, xml(text))).statusCode, 200);
	const read = await card.demo.inject('GET', card.policy, { headers: { accept: 'application/xml' } });
	t.is(
		read.body,
		'<CardCvvRetentionPolicy><CvvEndRetentionDate>2026-12-24T00:00:00.000Z</CvvEndRetentionDate><DeleteCardUponCvvCleanup>false</DeleteCardUponCvvCleanup><CvvRetentionPolicyList><CvvRetentionPolicyDestination><DestinationType>SFTP</DestinationType><DestinationData></DestinationData><Quota>3</Quota><Usage>0</Usage></CvvRetentionPolicyDestination></CvvRetentionPolicyList></CardCvvRetentionPolicy>',
	);
});

onBoth(
	'shapes §3: destinations are set and removed one by one; without any the default holds',
	async (t, parts, card) => {
		t.is((await card.demo.inject('PUT', `${card.policy}/Owner/x`, json({ Quota: 5 }))).statusCode, 200);
		t.is((await card.demo.inject('PUT', `${card.policy}/HostName/bank.example`, json({ Quota: 2 }))).statusCode, 200);
		t.is((await card.demo.inject('DELETE', `${card.policy}/Owner`)).statusCode, 200);
		const left = (await card.demo.inject('GET', card.policy, asJson)).json().CvvRetentionPolicyList;
		t.deepEqual(left, [{ DestinationType: 'HostName', DestinationData: 'bank.example', Quota: 2, Usage: 0 }]);
		t.is((await card.demo.inject('DELETE', `${card.policy}/Owner`, asJson)).statusCode, 404);
		t.is((await card.demo.inject('DELETE', card.policy)).statusCode, 200);
		t.deepEqual((await card.demo.inject('GET', card.policy, asJson)).json().CvvRetentionPolicyList, []);
		t.is(await use(parts, card, 'any.example'), '306');
		t.is(await use(parts, card, 'any.example'), undefined);
	},
);

onBoth('shapes §3: removing a policy gives no second use to a CVV that was used', async (t, parts, card) => {
	await card.demo.inject('PUT', card.policy, json({ CvvRetentionPolicyList: TWO }));
	t.is(await use(parts, card, 'bank.example'), '306');
	t.is((await card.demo.inject('DELETE', card.policy)).statusCode, 200);
	t.is(await use(parts, card, 'any.example'), undefined);
	t.is((await parts.database.knex('cvvs')).length, 0);
});

onBoth('shapes §3: DeleteCardUponCvvCleanup takes the card with the CVV', async (t, parts, card) => {
	const put = () => card.demo.inject('PUT', card.policy, json({ DeleteCardUponCvvCleanup: true }));
	t.is((await put()).statusCode, 200);
	t.is(await use(parts, card, 'any.example'), '306');
	t.is((await parts.database.knex('cvvs').first()).sealed.length, 0, 'the CVV is gone at once');
	t.is((await card.demo.inject('GET', card.policy, asJson)).statusCode, 404);
	t.deepEqual(await purgeCvvs(parts.vault), { cvvs: 1, cards: 1 });
	t.is((await card.demo.inject('GET', `${card.card}/meta`, asJson)).statusCode, 401);
	const second = await storeCard(card.demo, '', { CVV: '306' });
	const path = `/api/payments/paycard/${second}`;
	await card.demo.inject('PUT', `${path}/cvvRetentionPolicy`, json({ DeleteCardUponCvvCleanup: true }));
	t.is((await card.demo.inject('DELETE', `${path}/cvv`)).statusCode, 200);
	t.is((await card.demo.inject('GET', `${path}/meta`, asJson)).statusCode, 401);
});

onBoth(
	'shapes §3: a destination is set by its type alone, for any of it or with its data in the body',
	async (t, parts, card) => {
		const { demo, policy } = card;
		const put = (type: string, body: object) => demo.inject('PUT', `${policy}/${type}`, json(body));
		t.is((await put('Gateway', { Quota: 3 })).statusCode, 200);
		t.is((await put('hostname', { DestinationData: 'bank.example', Quota: 2 })).statusCode, 200);
		const missing = await put('HostName', { Quota: 2 });
		t.deepEqual([missing.statusCode, missing.json().moreInfo], [400, 'destinationData: expected a host name']);
		t.is((await put('Fax', { Quota: 2 })).statusCode, 400);
		t.is((await put('Gateway', { Quota: 51 })).statusCode, 400);
		t.deepEqual((await demo.inject('GET', policy, asJson)).json().CvvRetentionPolicyList, [
			{ DestinationType: 'Gateway', DestinationData: '', Quota: 3, Usage: 0 },
			{ DestinationType: 'HostName', DestinationData: 'bank.example', Quota: 2, Usage: 0 },
		]);
		t.truthy(await use(parts, card, 'bank.example'));
	},
);

test('shapes §3: 50 destinations, quota 50 and 48 months are taken', async (t) => {
	const { demo, policy } = await openCard(await openHttpApp(t));
	const CvvRetentionPolicyList = list(50).map((each) => ({ ...each, Quota: 50 }));
	const body = { CvvEndRetentionDate: '2030-11-21', CvvRetentionPolicyList };
	t.is((await demo.inject('PUT', policy, json(body))).statusCode, 200);
});

onBoth('shapes §3: a CVV that was used has had its one use, whatever policies came since', async (t, parts, card) => {
	const put = (...list: object[]) => card.demo.inject('PUT', card.policy, json({ CvvRetentionPolicyList: list }));
	await put({ DestinationType: 'HostName', DestinationData: 'bank.example', Quota: 2 });
	t.is(await use(parts, card, 'bank.example'), '306');
	const other = await put({ DestinationType: 'HostName', DestinationData: 'other.example' });
	t.is(other.json().CvvRetentionPolicyList[0].Usage, 0);
	t.is((await card.demo.inject('DELETE', card.policy, asJson)).statusCode, 200);
	t.is(await use(parts, card, 'any.example'), undefined);
	t.is((await parts.database.knex('cvvs')).length, 0);
});

onBoth('shapes §3: a use counts for whom its policy names, before whoever else', async (t, parts, card) => {
	const { demo, policy, token } = card;
	const anybody = { DestinationType: 'OtherUser', Quota: 1 };
	const CvvRetentionPolicyList = [anybody, { ...anybody, DestinationData: 'clerk' }];
	t.is((await demo.inject('PUT', policy, json({ CvvRetentionPolicyList }))).statusCode, 200);
	for (const data of ['clerk', 'desk']) {
		const place = (await parts.vault.find(demo.account.id, token))!;
		t.is((await parts.vault.cvvs.use(place, { type: 'OtherUser', data }))?.digits.toString(), '306', data);
	}
});

test('shapes §3, §11: the policy binds associated accounts: they read it and neither set nor remove it', async (t) => {
	const parts = await openHttpApp(t);
	const { demo, policy, card } = await openCard(parts);
	const shop = await parts.createCaller('shop', { cvvRetention: true });
	await demo.inject('PUT', `${card}/merchants/shop`);
	const CvvRetentionPolicyList = [{ DestinationType: 'OtherMerchant', DestinationData: 'shop', Quota: 1 }];
	const set = (await demo.inject('PUT', policy, json({ CvvRetentionPolicyList }))).json();
	const own = `${policy}/OtherMerchant/shop`;
	for (const [method, path, body] of [
		['PUT', policy, {}],
		['PUT', policy, { DeleteCardUponCvvCleanup: true }],
		['PUT', own, { Quota: 50 }],
		['DELETE', own],
		['DELETE', `${policy}/OtherMerchant`],
		['DELETE', policy],
	] as const) {
		const refused = await shop.inject(method, path, body ? json(body) : asJson);
		t.is(refused.statusCode, 401, `${method} ${path}`);
	}
	t.deepEqual((await shop.inject('GET', policy, asJson)).json(), set);
	t.is((await shop.inject('DELETE', `${card}/cvv`, asJson)).statusCode, 200, 'the CVV alone is theirs to end');
});

test('shapes §9, §11: a card goes with its CVV by whoever may delete it, and by nobody else', async (t) => {
	const parts = await openHttpApp(t);
	const { demo, policy, card } = await openCard(parts);
	const shop = await parts.createCaller('shop', { cvvRetention: true });
	await demo.inject('PUT', `${card}/merchants/shop`);
	const pusher = await parts.createCaller('pusher', { kind: 'sub-user', parent: 'demo', permissions: ['Tokenize'] });
	const refused = await pusher.inject('PUT', policy, json({ DeleteCardUponCvvCleanup: true }));
	t.deepEqual([refused.statusCode, refused.json().message], [403, 'Permission DeleteToken is required']);
	t.is((await pusher.inject('PUT', policy, json({}))).statusCode, 200);
	t.is((await demo.inject('PUT', policy, json({ DeleteCardUponCvvCleanup: true }))).statusCode, 200);
	t.is((await shop.inject('DELETE', `${card}/cvv`, asJson)).statusCode, 401);
	t.true((await demo.inject('GET', `${card}/meta`, asJson)).json().CvvExists);
});

for (const dialect of databases) {
	test(`${dialect}: in production a policy beyond 7 days or one use needs cvv.allowLong`, async (t) => {
		const parts = await openHttpApp(t, dialect, { settings: { environment: 'production' } });
		const card = await openCard(parts);
		const end = (days: number) => new Date(parts.clock.now().getTime() + days * DAY_MS).toISOString();
		const put = async (body: object, path = card.policy) =>
			(await card.demo.inject('PUT', path, { ...asJson, payload: JSON.stringify(body), headers: JSON_HEADERS })).json();
		const once = { DestinationType: 'HostName', DestinationData: 'bank.example' };
		const named = 'more than 7 days or one use, which this installation does not allow (cvv.allowLong)';
		t.is((await put({ CvvEndRetentionDate: end(8) })).moreInfo, `CvvEndRetentionDate: ${named}`);
		t.is((await put({ CvvRetentionPolicyList: [{ ...once, Quota: 2 }] })).moreInfo, `Quota: ${named}`);
		t.is((await put({ CvvRetentionPolicyList: [once, { DestinationType: 'Owner' }] })).moreInfo, `Quota: ${named}`);
		t.is((await put({ CvvEndRetentionDate: end(7), CvvRetentionPolicyList: [once] })).code, undefined);
		t.is((await put({ Quota: 1 }, `${card.policy}/HostName/second.example`)).moreInfo, `Quota: ${named}`);
		t.is((await card.demo.inject('GET', card.policy, asJson)).json().CvvRetentionPolicyList.length, 1);

		const allowed = await openHttpApp(t, dialect, { settings: { environment: 'production', allowLongCvv: true } });
		const long = await openCard(allowed);
		const payload = JSON.stringify({ CvvEndRetentionDate: end(30), CvvRetentionPolicyList: [{ ...once, Quota: 2 }] });
		const set = await long.demo.inject('PUT', long.policy, { payload, headers: JSON_HEADERS });
		t.is(set.statusCode, 200, set.payload);
		t.is(await cvvStore(allowed.database.knex, dialect).countLong(defaultCvvEnd(allowed.clock.now().getTime()), 1), 1);
		t.is(await cvvStore(parts.database.knex, dialect).countLong(defaultCvvEnd(parts.clock.now().getTime()), 1), 0);
	});
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };
