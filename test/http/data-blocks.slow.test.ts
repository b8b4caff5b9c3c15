// Those tests of data-blocks.test.ts that take long.

import test from 'ava';
import { onBothWithout } from '../helpers/caller-stories.ts';
import { asJson, storeCard, xml } from '../helpers/card-calls.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { PATH, put } from './data-blocks.setup.ts';

const SECRET = 'passport C01X00T47 of somebody';

const onBoth = onBothWithout(SECRET);

onBoth('shapes §3: a data block goes in, is read with its payload and deleted', async (t, parts, demo) => {
	const client = await clientOf(parts, demo);
	const body = { Payload: SECRET, Reference: 'guest-7' };
	const made = await client.expect(201, 'POST /api/datablocks', { body });
	const item = made.body;
	t.deepEqual(Object.keys(item), ['Token', 'URI', 'CreateDate', 'Reference', 'UserID']);
	t.like(item, { URI: `${TEST_BASE_URL}${PATH}/${item.Token}`, Reference: 'guest-7', UserID: 'demo' });
	t.is(made.headers.location, item.URI);
	const one = { path: { cardToken: item.Token } };
	const read = await client.expect(200, 'GET /api/datablocks/{cardToken}', one);
	t.deepEqual(read.body, { ...item, Payload: SECRET });
	t.deepEqual((await client.expect(200, 'GET /api/datablocks')).body, [item], 'the list has no payloads');
	const rows = JSON.stringify(await parts.database.knex('pages'), (_, value) =>
		value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
	);
	t.false(rows.includes(SECRET), 'sealed in its page');
	t.is((await client.expect(200, 'DELETE /api/datablocks/{cardToken}', one)).text, '');
	await client.expect(401, 'GET /api/datablocks/{cardToken}', one);
	await client.expect(401, 'DELETE /api/datablocks/{cardToken}', one);
	const trail = await parts.database
		.knex('audit')
		.where('subject', `token ${item.Token}`)
		.orderBy('seq')
		.pluck('action');
	t.deepEqual(trail, ['data-block.store', 'data-block.read', 'data-block.delete']);
});

onBoth('shapes §3: the same in XML', async (t, _, demo) => {
	const made = await demo.inject('POST', PATH, xml('<DataBlock><Payload>a &amp; b</Payload></DataBlock>'));
	t.regex(
		made.body,
		/^<DataBlock><Token>[0-9a-f]{32}<\/Token><URI>.*<\/URI><CreateDate>.*<\/CreateDate><UserID>demo<\/UserID><\/DataBlock>$/,
	);
	const list = await demo.inject('GET', PATH, { headers: { accept: 'application/xml' } });
	t.is(list.body, `<ArrayOfDataBlock>${made.body}</ArrayOfDataBlock>`);
	const one = String(made.headers.location).slice(TEST_BASE_URL.length);
	t.true(
		(await demo.inject('GET', one, { headers: { accept: 'text/xml' } })).body.includes('<Payload>a &amp; b</Payload>'),
	);
});

test('shapes §3: a payload in XML keeps the blanks around it', async (t) => {
	const demo = await (await openHttpApp(t)).createCaller('demo');
	for (const payload of ['  two\n', ' ', 'a']) {
		const made = await demo.inject('POST', PATH, xml(`<DataBlock><Payload>${payload}</Payload></DataBlock>`));
		t.is(made.statusCode, 201);
		const one = String(made.headers.location).slice(TEST_BASE_URL.length);
		t.is((await demo.inject('GET', one, asJson)).json().Payload, payload);
	}
	for (const payload of ['', '<a>b</a>']) {
		const refused = await demo.inject('POST', PATH, xml(`<DataBlock><Payload>${payload}</Payload></DataBlock>`));
		t.is(refused.statusCode, 400);
		t.regex(refused.body, /<moreInfo>Payload: /);
	}
});

onBoth('spec §4.1: Search Data Blocks gives all results unless maxItems says less', async (t, parts, demo) => {
	const client = await clientOf(parts, demo);
	const tokens = [];
	for (let n = 0; n < 60; n++) tokens.push(await put(demo, `p${n}`, n % 20 === 0 ? 'twentieth' : undefined));
	await storeCard(demo, '?ref=twentieth');
	const list = async (query: { ref?: string; maxItems?: number; offset?: number }) =>
		(await client.expect(200, 'GET /api/datablocks', { query })).body.map(({ Token }) => Token);
	t.deepEqual(await list({}), tokens);
	t.deepEqual(await list({ maxItems: 50 }), tokens.slice(0, 50));
	t.deepEqual(await list({ maxItems: 50, offset: 50 }), tokens.slice(50));
	t.deepEqual(await list({ ref: 'twentieth' }), [tokens[0], tokens[20], tokens[40]]);
	t.deepEqual(await list({ ref: 'twentieth', offset: 1, maxItems: 1 }), [tokens[20]]);
	t.deepEqual((await demo.inject('GET', `${PATH}?maxitems=1`, asJson)).json().length, 1, 'in any case');
	const cards = await client.expect(200, 'GET /api/payments/paycard/meta');
	t.is(cards.body.length, 1, 'Query Tokens lists cards');
	const query = { ref: 'twentieth' };
	t.is((await client.expect(200, 'GET /api/payments/paycard/meta', { query })).body.length, 1);
});

onBoth('spec §7.4: cards and data blocks are each Uri not found where the other is meant', async (t, parts, demo) => {
	const block = await put(demo, 'x');
	const card = await storeCard(demo);
	for (const [method, url] of [
		['GET', `/api/payments/paycard/${block}/meta`],
		['DELETE', `/api/payments/paycard/${block}`],
		['PUT', `/api/payments/paycard/${block}/merchants/demo`],
		['GET', `/api/payments/paycard/${block}/merchants`],
		['DELETE', `/api/payments/paycard/${block}/cvv`],
		['POST', `/api/payments/paycard/duplicate?cardUri=${block}`],
		['POST', `/api/payments/paycard/networkToken?cardUri=${block}`],
		['GET', `${PATH}/${card}`],
		['DELETE', `${PATH}/${card}`],
	] as const) {
		const response = await demo.inject(method, url, asJson);
		t.deepEqual(
			[response.statusCode, response.json().code, response.json().message],
			[404, -160, 'Uri not found'],
			url,
		);
	}
	const other = await parts.createCaller('other');
	for (const [method, url] of [
		['GET', `${PATH}/${block}`],
		['DELETE', `${PATH}/${block}`],
		['DELETE', `/api/payments/paycard/${block}`],
	] as const) {
		const response = await other.inject(method, url, asJson);
		t.deepEqual([response.statusCode, response.json().moreInfo], [401, null], 'the kind is for those who may use it');
	}
	t.is((await demo.inject('GET', `${PATH}/${block.slice(1)}`)).body, '');
});

for (const query of ['maxItems=0', 'maxItems=51', 'maxItems=x', 'offset=-1']) {
	test(`spec §4.1: ${query} is a 400`, async (t) => {
		const demo = await (await openHttpApp(t)).createCaller('demo');
		const response = await demo.inject('GET', `${PATH}?${query}`, asJson);
		t.deepEqual([response.statusCode, response.json().message], [400, 'Bad input data']);
		t.true(response.json().moreInfo.startsWith(query.split('=')[0]));
	});
}

test('shapes §3: a payload of 16 KiB comes back as it was', async (t) => {
	const demo = await (await openHttpApp(t)).createCaller('demo');
	const payload = 'é'.repeat(8192);
	const token = await put(demo, payload);
	t.is((await demo.inject('GET', `${PATH}/${token}`, asJson)).json().Payload, payload);
});
