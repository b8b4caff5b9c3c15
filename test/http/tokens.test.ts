import test from 'ava';
import { WHOLE_PAGE } from '../../src/vault/tokens/association-store.ts';
import { associationRow } from '../../src/vault/tokens/associations.ts';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { onBoth, onBothAlways } from '../helpers/caller-stories.ts';
import { asJson, cardJson, json, storeCard, VISA } from '../helpers/card-calls.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';

const META = '/api/payments/paycard/meta';
const uriOf = (token: string) => `${TEST_BASE_URL}/api/payments/paycard/${token}`;
const NOT_AUTHORIZED = 'You are not authorized to access this resource. Please contact customer support.';

onBoth(
	'spec §4.1: Query Tokens gives what the caller owns, oldest first, without references',
	async (t, parts, demo) => {
		const tokens = [];
		for (let n = 0; n < 5; n++) tokens.push(await storeCard(demo, `?ref=${n % 2 ? 'odd' : 'even'}`));
		const other = await parts.createCaller('other');
		await storeCard(other, '?ref=odd&merchantId=demo');
		const client = await clientOf(parts, demo);
		const query = async (wanted: { ref?: string; from?: number; num?: number }) =>
			(await client.expect(200, `GET ${META}`, { query: wanted })).body;
		const uris = async (wanted: Parameters<typeof query>[0]) => (await query(wanted)).map(({ URI }) => URI);
		t.deepEqual(await uris({}), tokens.map(uriOf));
		t.deepEqual(await uris({ from: 3, num: 1 }), [uriOf(tokens[3])]);
		t.deepEqual(await uris({ from: 4, num: 10 }), [uriOf(tokens[4])]);
		t.deepEqual(await uris({ from: 5 }), []);
		t.deepEqual(await uris({ num: 0 }), []);
		t.deepEqual(await uris({ ref: 'odd' }), [uriOf(tokens[1]), uriOf(tokens[3])]);
		t.deepEqual((await demo.inject('GET', `${META}?REF=odd`, asJson)).json(), await query({ ref: 'odd' }));
		t.deepEqual(await uris({ ref: 'odd', from: 1 }), [uriOf(tokens[3])]);
		t.deepEqual(await uris({ ref: 'nobody' }), []);
		const [item] = await query({ num: 1 });
		t.deepEqual(Object.keys(item), [
			...['CreateDate', 'CardType', 'LastDigits', 'LeadingDigits', 'ExpirationYear', 'ExpirationMonth', 'OwnerID'],
			...['UserID', 'IssueNumber', 'OwnerName', 'URI', 'EndRetentionDate', 'CvvExists', 'VirtualInfo'],
			...['AssociatedMerchants', 'AssociatedProperties'],
		]);
		const asXml = await demo.inject('GET', `${META}?num=1`, { headers: { accept: 'application/xml' } });
		t.regex(asXml.body, /^<ArrayOfCardMetadata><CardMetadata><CreateDate>.*<\/CardMetadata><\/ArrayOfCardMetadata>$/);
		t.is(
			(await demo.inject('GET', `${META}?ref=nobody`, { headers: { accept: 'text/xml' } })).body,
			'<ArrayOfCardMetadata></ArrayOfCardMetadata>',
		);
	},
);

onBoth('spec §4.1: a card stored after a batch is listed after it', async (t, parts, demo) => {
	const expected = [await storeCard(demo)];
	parts.clock.turn(1000);
	const batch = await demo.inject('POST', BATCH, { payload: ndjson([card(), card()]), headers: NDJSON });
	expected.push(...linesOf(batch.body).map(({ token }) => token!));
	parts.clock.turn(1000);
	expected.push(await storeCard(demo));
	const listed = (await demo.inject('GET', META, asJson)).json();
	t.deepEqual(
		listed.map(({ URI }: { URI: string }) => URI),
		expected.map(uriOf),
	);
});

onBothAlways('shapes §3: Query Tokens by merchant counts whole pages and single tokens', async (t, parts, demo) => {
	const shop = await parts.createCaller('shop');
	const tokens = [];
	for (let n = 0; n < 4; n++) tokens.push(await storeCard(demo, n % 2 ? '?merchantId=shop&ref=r' : '?ref=r'));
	// Associates the merchant with all cards of a page at once, as a file does that names a merchant.
	const place = (await parts.vault.find(demo.account.id, tokens[2] as never))!;
	const sealer = await parts.keyRing.seals.sealer();
	const whole = associationRow(sealer, place.page.id, WHOLE_PAGE, shop.account.id, 0);
	await parts.database.knex('associations').insert({ ...whole, created_at: 0 });
	const uris = async (query: string) =>
		(await demo.inject('GET', `${META}?merchantId=shop${query}`, asJson)).json().map(({ URI }: { URI: string }) => URI);
	const expected = [tokens[1], tokens[2], tokens[3]].map(uriOf);
	t.deepEqual(await uris(''), expected);
	t.deepEqual(await uris('&from=1&num=1'), [expected[1]]);
	t.deepEqual(await uris('&from=2'), [expected[2]]);
	t.deepEqual(await uris('&ref=r'), expected);
	await parts.createCaller('stranger');
	const answers = [];
	for (const id of ['nobody', 'stranger']) answers.push(await demo.inject('GET', `${META}?merchantId=${id}`, asJson));
	t.deepEqual(
		answers.map(({ statusCode }) => statusCode),
		[400, 400],
	);
	t.is(answers[0].payload, answers[1].payload, 'a query does not tell which accounts exist');
	t.deepEqual((await demo.inject('GET', `${META}?merchantId=demo`, asJson)).json(), []);
});

onBoth('shapes §3: format=csv streams every token', async (t, parts, demo) => {
	for (let n = 0; n < 3; n++) await storeCard(demo, '', { NameOnCard: n === 1 ? '=HYPERLINK("x")' : 'A, "B"' });
	const response = await demo.inject('GET', `${META}?format=csv`);
	t.is(response.headers['content-type'], 'text/csv; charset=utf-8');
	const lines = response.body.split('\r\n');
	t.is(lines.length, 5);
	t.regex(lines[0], /^CreateDate,CardType,LastDigits,LeadingDigits,.*,AssociatedMerchants,AssociatedProperties$/);
	t.true(lines[1].includes('"A, ""B"""'));
	t.false(lines[2].includes(',"=HYPER'), 'a formula is no formula any more');
	t.false(response.body.includes(VISA));
	t.is((await demo.inject('GET', `${META}?format=csv&from=1&num=1`)).body.split('\r\n').length, 3);
	const trail = await parts.database.knex('audit').where({ action: 'card.export' });
	t.deepEqual(
		trail.map(({ subject }) => subject),
		['account demo', 'account demo'],
	);
});

test('shapes §3: format=json and format=xml come before Accept', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	await storeCard(demo);
	const asXml = { headers: { accept: 'application/xml' } };
	for (const num of [1, 5000]) {
		const json = await demo.inject('GET', `${META}?format=json&num=${num}`, asXml);
		t.is(json.headers['content-type'], 'text/json; charset=utf-8');
		t.is(json.json().length, 1);
		const xml = await demo.inject('GET', `${META}?format=xml&num=${num}`, asJson);
		t.is(xml.headers['content-type'], 'application/xml; charset=utf-8');
		t.regex(xml.body, /^<ArrayOfCardMetadata><CardMetadata>/);
	}
	t.is((await demo.inject('GET', `${META}?format=`, asXml)).body.slice(0, 8), '<ArrayOf');
});

test('spec §4.1: there is no maximum for num: a long list is streamed and the same', async (t) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	for (let n = 0; n < 3; n++) await storeCard(demo);
	const short = (await demo.inject('GET', META, asJson)).json();
	t.is(short.length, 3);
	t.deepEqual((await demo.inject('GET', `${META}?num=1000000`, asJson)).json(), short);
	const asXml = { headers: { accept: 'application/xml' } };
	t.is((await demo.inject('GET', `${META}?num=5000`, asXml)).body, (await demo.inject('GET', META, asXml)).body);
	t.is((await demo.inject('GET', `${META}?num=5000&ref=x`, asJson)).body, '[]');
	t.is(
		(await demo.inject('GET', META, { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding'],
		'gzip',
	);
});

for (const [query, name] of [
	['num=-1', 'num'],
	['num=x', 'num'],
	['from=-1', 'from'],
	['from=99999999999999999999', 'from'],
	['format=pdf', 'format'],
]) {
	test(`shapes §1: ${query} is a 400 that names ${name}`, async (t) => {
		const demo = await (await openHttpApp(t)).createCaller('demo');
		const response = await demo.inject('GET', `${META}?${query}`, asJson);
		t.is(response.statusCode, 400);
		t.is(response.json().message, 'Bad input data');
		t.true(response.json().moreInfo.startsWith(`${name}:`), response.body);
	});
}

onBoth('shapes §3: metadata of a token, in either case of hex', async (t, parts, demo) => {
	const card = { OwnerID: 'guest-7', IssueNumber: '2', CVV: '306', Virtual: { '@isMultiuse': true } };
	const token = await storeCard(demo, '?ref=order-1', card);
	const client = await clientOf(parts, demo);
	const path = { cardToken: token.toUpperCase() };
	t.deepEqual((await client.expect(200, 'GET /api/payments/paycard/{cardToken}/meta', { path })).body, {
		CreatorReference: 'order-1',
		CreateDate: parts.clock.now().toISOString(),
		CardType: 'Visa',
		LastDigits: '1111',
		LeadingDigits: '411111',
		ExpirationYear: '2030',
		ExpirationMonth: '04',
		OwnerID: 'guest-7',
		UserID: 'demo',
		IssueNumber: '2',
		OwnerName: null,
		URI: uriOf(token),
		EndRetentionDate: new Date(parts.clock.now().getTime() + 7 * 86_400_000).toISOString(),
		CvvExists: true,
		VirtualInfo: { '@isMultiuse': true },
		AssociatedMerchants: [],
		AssociatedProperties: [],
	});
	const asXml = await demo.inject('GET', `/api/payments/paycard/${token}/meta`, { headers: { accept: 'text/xml' } });
	t.regex(
		asXml.body,
		/^<CardMetadata><CreatorReference>order-1<\/CreatorReference>.*<VirtualInfo isMultiuse="true"><\/VirtualInfo>/,
	);
});

onBoth(
	'spec §7.4: the three token cases are answered alike, and 31 characters match no endpoint',
	async (t, parts, demo) => {
		const other = await parts.createCaller('other');
		const foreign = await storeCard(other);
		const deleted = await storeCard(demo);
		t.is((await demo.inject('DELETE', `/api/payments/paycard/${deleted}`)).statusCode, 200);
		for (const token of [foreign, deleted, '9e107d9d372bb6826bd81d3542a419d6']) {
			const response = await demo.inject('GET', `/api/payments/paycard/${token}/meta`, asJson);
			t.is(response.statusCode, 401);
			t.deepEqual(response.json(), { code: -1003, message: NOT_AUTHORIZED, moreInfo: null });
		}
		for (const path of [deleted.slice(1), `${deleted}0`, `${deleted.slice(1)}g`]) {
			const response = await demo.inject('GET', `/api/payments/paycard/${path}/meta`, asJson);
			t.deepEqual([response.statusCode, response.body], [404, '']);
		}
	},
);

onBoth('spec §3, §7.4: Delete Token checks existence before ownership', async (t, parts, demo) => {
	const other = await parts.createCaller('other');
	const token = await storeCard(demo, '?merchantId=other');
	const path = `/api/payments/paycard/${token}`;
	const stranger = await other.inject('DELETE', path, asJson);
	t.deepEqual([stranger.statusCode, stranger.json().code], [401, -1003], 'associated accounts use, they do not delete');
	const done = await demo.inject('DELETE', path);
	t.deepEqual([done.statusCode, done.body], [200, '']);
	const again = await demo.inject('DELETE', path, asJson);
	t.is(again.statusCode, 404);
	t.deepEqual(again.json(), { code: -160, message: 'Uri not found', moreInfo: 'cardToken: no such token' });
	t.is((await other.inject('DELETE', path, asJson)).statusCode, 404);
	const actions = await parts.database.knex('audit').where('subject', `token ${token}`).orderBy('seq').pluck('action');
	t.deepEqual(actions, ['card.store', 'card.delete']);
});

test('shapes §9: each call needs its permission', async (t) => {
	const parts = await openHttpApp(t);
	const nobody = await parts.createCaller('nobody', { permissions: ['DataBlocks'] });
	const token = 'a'.repeat(32);
	for (const [method, url, permission] of [
		['POST', '/api/payments/paycard', 'Tokenize'],
		['GET', META, 'QueryTokens'],
		['GET', `/api/payments/paycard/${token}/meta`, 'QueryTokens'],
		['DELETE', `/api/payments/paycard/${token}`, 'DeleteToken'],
		['PUT', `/api/payments/paycard/${token}/merchants/x`, 'Associate'],
		['DELETE', `/api/payments/paycard/${token}/cvv`, 'Tokenize'],
	] as const) {
		const response = await nobody.inject(method, url, method === 'POST' ? json(cardJson()) : asJson);
		t.deepEqual(response.json(), {
			code: -1003,
			message: `Permission ${permission} is required`,
			moreInfo: NOT_AUTHORIZED,
		});
	}
});
