import test from 'ava';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { asJson, json, storeCard } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { list, onBoth, openCard, use } from './cvv.setup.ts';

const BOUNDS: [string, object, string][] = [
	['51 destinations', { CvvRetentionPolicyList: list(51) }, 'CvvRetentionPolicyList'],
	['quota 0', { CvvRetentionPolicyList: [{ DestinationType: 'Owner', Quota: 0 }] }, 'CvvRetentionPolicyList[0].Quota'],
	[
		'quota 51',
		{ CvvRetentionPolicyList: [{ DestinationType: 'Owner', Quota: 51 }] },
		'CvvRetentionPolicyList[0].Quota',
	],
	[
		'a type nobody knows',
		{ CvvRetentionPolicyList: [{ DestinationType: 'Fax' }] },
		'CvvRetentionPolicyList[0].DestinationType',
	],
	['no type', { CvvRetentionPolicyList: [{ Quota: 1 }] }, 'CvvRetentionPolicyList[0].DestinationType'],
	[
		'a destination twice',
		{ CvvRetentionPolicyList: [{ DestinationType: 'Owner' }, { DestinationType: 'OWNER' }] },
		'CvvRetentionPolicyList',
	],
	[
		'a card number as destination',
		{ CvvRetentionPolicyList: [{ DestinationType: 'Owner', DestinationData: '4111111111111111' }] },
		'CvvRetentionPolicyList[0].DestinationData',
	],
	[
		'an empty host name',
		{ CvvRetentionPolicyList: [{ DestinationType: 'HostName' }] },
		'CvvRetentionPolicyList[0].DestinationData',
	],
	['more than 48 months', { CvvEndRetentionDate: '2030-11-22' }, 'CvvEndRetentionDate'],
	['the past', { CvvEndRetentionDate: '2026-11-20' }, 'CvvEndRetentionDate'],
	['a day that no month has', { CvvEndRetentionDate: '2027-02-29' }, 'CvvEndRetentionDate'],
	['such a day with a time', { CvvEndRetentionDate: '2027-06-31T12:00:00+02:00' }, 'CvvEndRetentionDate'],
	['no date', { CvvEndRetentionDate: 'soon' }, 'CvvEndRetentionDate'],
	['neither true nor false', { DeleteCardUponCvvCleanup: 'perhaps' }, 'DeleteCardUponCvvCleanup'],
];
for (const [title, body, field] of BOUNDS) {
	test(`shapes §3: a CVV policy with ${title} is a 400 that names ${field}`, async (t) => {
		const { demo, policy } = await openCard(await openHttpApp(t));
		const response = await demo.inject('PUT', policy, json(body));
		t.is(response.statusCode, 400);
		t.is(response.json().message, 'Bad input data');
		t.is(response.json().moreInfo.split(': ')[0], field);
		t.false(response.body.includes('4111111111111111'));
	});
}

test('shapes §3: a host name that a path lacks is a 400, and nothing is stored', async (t) => {
	const { demo, policy } = await openCard(await openHttpApp(t));
	const response = await demo.inject('PUT', `${policy}/HostName/`, json({ Quota: 1 }));
	t.is(response.statusCode, 400);
	t.is(response.json().moreInfo, 'destinationData: expected a host name');
	t.deepEqual((await demo.inject('GET', policy, asJson)).json().CvvRetentionPolicyList, []);
	t.is((await demo.inject('PUT', `${policy}/Owner/`, json({ Quota: 1 }))).statusCode, 200, 'the owner needs no name');
});

onBoth('shapes §3: a card that goes with its CVV is no duplicate of one stored since', async (t, parts, card) => {
	const { demo, policy, token } = card;
	await demo.inject('PUT', policy, json({ DeleteCardUponCvvCleanup: true }));
	t.is(await storeCard(demo, '?eliminateCardDuplication=true'), token, 'as long as it stays');
	t.is(await use(parts, card, 'any.example'), '306');
	const fresh = await storeCard(demo, '?eliminateCardDuplication=true');
	await purgeCvvs(parts.vault);
	const seen = async (each: string) =>
		(await demo.inject('GET', `/api/payments/paycard/${each}/meta`, asJson)).statusCode;
	t.deepEqual([await seen(token), await seen(fresh)], [401, 200]);
});

test('spec §7.3: an account without CVV retention keeps none and sets no policy', async (t) => {
	const parts = await openHttpApp(t);
	const plain = await parts.createCaller('plain');
	const token = await storeCard(plain, '', { CVV: '306' });
	const path = `/api/payments/paycard/${token}`;
	t.false((await plain.inject('GET', `${path}/meta`, asJson)).json().CvvExists);
	t.is((await parts.database.knex('cvvs')).length, 0);
	const refused = await plain.inject('PUT', `${path}/cvvRetentionPolicy`, json({}));
	t.deepEqual([refused.statusCode, refused.json().message], [401, 'User is not authorized to handle bank cards']);
	t.is((await plain.inject('DELETE', `${path}/cvv`)).statusCode, 200);
});

test('shapes §11: saveCVV=false drops the CVV of an account that could keep it', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	await storeCard(demo, '?saveCVV=False', { CVV: '306' });
	t.is((await parts.database.knex('cvvs')).length, 0);
});
