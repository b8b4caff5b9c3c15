// Those tests of duplicate.test.ts that take long.

import test from 'ava';
import type { Token } from '../../src/vault/tokens/token.ts';
import { onBoth } from '../helpers/caller-stories.ts';
import { asJson, json, storeCard, tokenOf, VISA } from '../helpers/card-calls.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { DUPLICATE, NETWORK, NO_TOKEN, query } from './duplicate.setup.ts';

onBoth('shapes §3: a duplicate holds the same card and never the old CVV', async (t, parts, demo) => {
	const old = await storeCard(demo, '?ref=old', { CVV: '306', NameOnCard: 'A HOLDER' });
	const client = await clientOf(parts, demo);
	const duplicate = (cardUri: string, more: { ref?: string; cvv?: string }) =>
		client.expect(201, `POST ${DUPLICATE}`, { query: { cardUri, ...more } });
	const metadataOf = async (cardToken: string) =>
		(await client.expect(200, 'GET /api/payments/paycard/{cardToken}/meta', { path: { cardToken } })).body;
	const uri = `${TEST_BASE_URL}/api/payments/paycard/${old.toUpperCase()}`;
	const response = await duplicate(uri, { ref: 'new' });
	const token = tokenOf(response) as Token;
	t.not(token, old);
	t.like(response.body.BankCard, { Number: '411111******1111', NameOnCard: 'A HOLDER' });
	t.is((await parts.vault.find(demo.account.id, token))?.record.digits.toString(), VISA);
	t.like(await metadataOf(token), { CreatorReference: 'new', CvvExists: false, OwnerName: 'A HOLDER' });
	const withCvv = tokenOf(await duplicate(old, { cvv: '1234' }));
	t.true((await metadataOf(withCvv)).CvvExists);
	const actions = await parts.database.knex('audit').where('subject', `token ${token}`).pluck('action');
	t.deepEqual(actions, ['card.duplicate']);
});

onBoth('shapes §3: a network token is a token of its own that holds no card', async (t, parts, demo) => {
	const card = await storeCard(demo);
	const response = await demo.inject('POST', `${NETWORK}?cardUri=${card}&ref=n-1`, asJson);
	t.is(response.statusCode, 201);
	const token = tokenOf(response) as Token;
	const record = (await parts.vault.find(demo.account.id, token))!.record;
	t.is(record.kind, 'network-token');
	t.not(record.digits.toString(), VISA);
	t.regex(record.digits.toString(), /^411111\d{10}$/);
	const metadata = await demo.inject('GET', `/api/payments/paycard/${token}/meta`, asJson);
	t.like(metadata.json(), { CreatorReference: 'n-1', CardType: 'Visa', LeadingDigits: '411111' });
	t.is((await demo.inject('GET', '/api/payments/paycard/meta', asJson)).json().length, 2);
	for (const [method, url] of [
		['POST', `${DUPLICATE}?cardUri=${token}`],
		['POST', `${NETWORK}?cardUri=${token}`],
		['DELETE', `/api/payments/paycard/${token}/cvv`],
		['GET', `/api/payments/paycard/${token}/cvvRetentionPolicy`],
	] as const) {
		const refused = await demo.inject(method, url, asJson);
		t.deepEqual([refused.statusCode, refused.json().code, refused.json().message], [404, -160, 'Uri not found'], url);
	}
	t.is((await demo.inject('DELETE', `/api/payments/paycard/${token}`)).statusCode, 200);
});

for (const path of [DUPLICATE, NETWORK]) {
	test(`spec §7.4: ${path}: no token, 31 characters`, query, path, `cardUri=${'a'.repeat(31)}`, 401, NO_TOKEN);

	test(`spec §7.4: ${path}: something that is no URI`, query, path, 'cardUri=file:/x/TOKEN', 401, NO_TOKEN);

	test(`${path}: a reference that may be a card number`, query, path, `cardUri=TOKEN&ref=${VISA}`, 400, {
		message: 'Bad input data',
	});
}

test('spec §2.3: the duplicate an associated account makes is its own', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const shop = await parts.createCaller('shop');
	const token = await storeCard(demo, '?merchantId=shop');
	const copy = tokenOf(await shop.inject('POST', `${DUPLICATE}?cardUri=${token}`, json({})));
	t.is((await shop.inject('GET', `/api/payments/paycard/${copy}/meta`, asJson)).statusCode, 200);
	t.is((await demo.inject('GET', `/api/payments/paycard/${copy}/meta`, asJson)).statusCode, 401);
});
