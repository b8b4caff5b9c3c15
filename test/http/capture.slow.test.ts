// Tests tokenization on response (spec §4.1): a call goes out as it came, and its answer comes back with tokens.

import { gzipSync } from 'node:zlib';
import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { isRefused, LIST_PROFILE, openPartnership, type Query, type Told, usedUnits } from '../helpers/third-party.ts';

const AMEX = '378282246310005';
const BAD_LUHN = '4111111111111112';
const JSON_TYPE = { 'content-type': 'application/json' };

interface Card {
	readonly number?: string;
	readonly month?: string;
	readonly year?: string;
	readonly brand?: string;
	readonly cvv?: string;
}

const card = (more: Card = {}) => ({ number: VISA, month: '04', year: '2030', brand: 'Visa', ...more });
const cards = (...list: Card[]) => ({ headers: JSON_TYPE, body: JSON.stringify({ cards: list }) });
const SEVERAL = { profileName: 'Several' };
const ERRORS = 'x-service-tokenization-errors';
const WARNINGS = 'x-service-tokenization-warnings';
const tokensOf = (header: unknown) =>
	String(header)
		.split(',')
		.map((uri) => uri.slice(-32));

test('spec §4.1: cards in the answer are masked, and their token URIs stand in a header in the order of the message', async (t) => {
	const { capture, party, parts, relay } = await openPartnership(t);
	party.answers({ ...cards(card(), card({ number: AMEX, brand: 'AMEX' })), status: 202 });
	const answer = await capture(SEVERAL, { payload: '{"ask":1}' });
	t.is(party.only().text, '{"ask":1}');
	t.is(answer.statusCode, 202);
	t.is(
		answer.body,
		cards(card({ number: '411111******1111' }), card({ number: '378282*****0005', brand: 'AMEX' })).body,
	);
	const uris = String(answer.headers['x-service-carduri']).split(',');
	t.is(uris.length, 2);
	for (const uri of uris) t.regex(uri, /^https:\/\/vault\.example\/api\/payments\/paycard\/[0-9a-f]{32}$/);
	t.is(answer.headers[ERRORS], undefined);
	t.is(answer.headers[WARNINGS], undefined);
	party.answers({});
	const headers = { 'x-service-carduri': uris.join(',') };
	const payload = '{"cards":[{"number":"","month":"","year":""},{"number":""}]}';
	t.is((await relay(SEVERAL, { payload, headers })).statusCode, 200);
	const [first, second] = JSON.parse(party.seen[1].text).cards;
	t.deepEqual([first, second.number], [{ number: VISA, month: '04', year: '2030' }, AMEX]);
	const entries = await parts.database.knex('audit').where('action', 'card.capture');
	t.is(entries.length, 1);
	t.regex(entries[0].details, /"address":"127\.0\.0\.1",.*"credential":"api-key \d+"/);
});

test('spec §4.1: errors and warnings stand at the position of their card; a refused card passes unchanged', async (t) => {
	const { capture, party } = await openPartnership(t);
	const list = [
		card(),
		card({ number: BAD_LUHN }),
		card({ year: '2020' }),
		card({ brand: 'AMEX' }),
		card({ number: '41111111111' }),
		card({ number: '41111111111111111111111' }),
		card({ brand: '' }),
		card({ number: '411111******1111' }),
		card({ cvv: '12345' }),
		card({ cvv: '123' }),
	];
	party.answers(cards(...list));
	const answer = await capture(SEVERAL);
	const got = JSON.parse(answer.body).cards as Card[];
	t.is(
		answer.headers[ERRORS],
		[
			'',
			'Luhn (Mod10) error',
			'Expired card',
			'',
			'Number has less than 12 digits',
			'Number is longer than 22 chars',
			'',
			'CVV must be 3 or 4 digits',
			'',
		].join(';;'),
		'what is masked already is no card',
	);
	t.is(
		answer.headers[WARNINGS],
		['', '', '', 'Card type validation message', '', '', 'The Card type is missing', '', ''].join(';;'),
	);
	for (const refused of [1, 2, 4, 5, 7, 8]) t.deepEqual(got[refused], list[refused]);
	for (const tokenized of [0, 3, 6, 9]) t.is(got[tokenized].number, '411111******1111');
	t.is(got[9].cvv, '***', 'a CVV is starred (shapes §11)');
	t.is(tokensOf(answer.headers['x-service-carduri']).length, 4);
});

test('shapes §11: an answer without a card passes unchanged and without the header', async (t) => {
	const { capture, party } = await openPartnership(t);
	const page = '<!doctype html><title>Error</title><p>Order 20261121 is closed<br>call 0800 123 456';
	const answers: Told[] = [
		{ headers: JSON_TYPE, body: '{ "card" : {"x":1} ,"n":1.50}' },
		{ headers: JSON_TYPE, body: '{"card":{"number":"","cvv":""}}' },
		{ headers: JSON_TYPE, body: '{"card":{"number":"411111******1111"}}' },
		{ headers: { 'content-type': 'text/html' }, body: page, status: 500 },
		{ headers: { 'content-type': 'image/png' }, body: Buffer.from([137, 80, 78, 71, 0, 255]) },
		{ headers: {}, body: '', status: 204 },
	];
	for (const told of answers) {
		party.answers(told);
		const answer = await capture();
		t.is(answer.statusCode, told.status ?? 200);
		t.deepEqual(answer.rawPayload, Buffer.from(told.body as string));
		for (const name of ['x-service-carduri', ERRORS, WARNINGS]) t.is(answer.headers[name], undefined);
	}
});

test('shapes §11: an answer that cannot be read but seems to hold card numbers does not pass', async (t) => {
	const { capture, party, parts } = await openPartnership(t);
	for (const body of [`{"card":{"number":"${VISA}"`, `<p>${VISA.replace(/(.{4})/g, '$1 ')}</p>`]) {
		party.answers({ headers: JSON_TYPE, body });
		isRefused(t, await capture(), 502, {
			code: -150,
			message: 'System error: unexpected condition',
			moreInfo: 'body: cannot be read as json and looks as if it held card numbers',
		});
	}
	t.is((await parts.database.knex('pages')).length, 0);
});

test('shapes §4: a profile may rename the header and ask for tokens in place', async (t) => {
	const own = LIST_PROFILE.replace('name: Several', 'name: Several\ntokenHeader: X-Our-Tokens\ninPlace: token');
	const { capture, party, caller } = await openPartnership(t, { profiles: [own] });
	const forged = { ...JSON_TYPE, 'x-our-tokens': 'https://vault.example/forged' };
	party.answers({ ...cards(card()), headers: forged });
	const answer = await capture(SEVERAL);
	const [token] = tokensOf(answer.headers['x-our-tokens']);
	t.is(JSON.parse(answer.body).cards[0].number, token);
	t.is(answer.headers['x-our-tokens'], `https://vault.example/api/payments/paycard/${token}`);
	t.is(answer.headers['x-service-carduri'], undefined);
	t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode, 200);
	party.answers({ headers: forged, body: '{}' });
	t.is((await capture(SEVERAL)).headers['x-our-tokens'], undefined, 'a third party names no tokens');
});

test('spec §4.1: XML and packed answers are tokenized too', async (t) => {
	const { capture, party } = await openPartnership(t);
	const body = `<?xml version="1.0"?><s:E xmlns:s="urn:s"><PaymentCard CardNumber='${VISA}' ExpireDate="0430" SeriesCode="123"/></s:E>`;
	party.answers({ headers: { 'content-type': 'text/xml', 'content-encoding': 'gzip' }, body: gzipSync(body) });
	const answer = await capture({ profileName: 'Soap' });
	t.is(answer.headers['content-type'], 'text/xml');
	t.is(answer.headers['content-encoding'], undefined);
	t.is(answer.body, body.replace(VISA, '411111******1111').replace('123', '***'));
	t.is(tokensOf(answer.headers['x-service-carduri']).length, 1);
});

test('shapes §4: ref, merchantId and saveCVV are of every card of the answer', async (t) => {
	const { capture, party, parts, caller } = await openPartnership(t, { account: { cvvRetention: true } });
	await parts.createCaller('agency');
	party.answers(cards(card({ cvv: '123' }), card({ number: AMEX, brand: 'AMEX', cvv: '1234' })));
	const metadata = async (query: Query) => {
		const answer = await capture({ ...SEVERAL, ...query });
		t.is(answer.statusCode, 200, answer.body);
		const list = tokensOf(answer.headers['x-service-carduri']);
		return Promise.all(
			list.map(async (token) => (await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).json()),
		);
	};
	for (const item of await metadata({ ref: 'order-7', merchantId: 'agency' })) {
		t.is(item.CreatorReference, 'order-7');
		t.deepEqual(item.AssociatedMerchants, ['agency']);
		t.true(item.CvvExists);
	}
	for (const item of await metadata({ saveCVV: 'false' })) t.false(item.CvvExists);
	for (const item of await metadata({ saveCVV: 'true' })) t.true(item.CvvExists);
});

test('shapes §4: capture takes every method, without a body too', async (t) => {
	const { capture, party } = await openPartnership(t);
	for (const httpMethod of ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', null]) {
		t.is((await capture({ httpMethod }, { payload: '', headers: { 'content-type': '' } })).statusCode, 200);
	}
	t.deepEqual(
		party.seen.map(({ method, text }) => [method, text]),
		['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'POST'].map((method) => [method, '']),
	);
});

test('shapes §4: a number that was tokenized does not come back in a header either', async (t) => {
	const location = `https://partner.example/done?card=${VISA}&order=${AMEX}`;
	const { capture } = await openPartnership(t, {
		answer: { ...cards(card()), status: 303, headers: { ...JSON_TYPE, location } },
	});
	const answer = await capture(SEVERAL);
	t.is(answer.statusCode, 303);
	t.is(answer.headers.location, location.replace(VISA, '411111******1111'));
});

test('shapes §3: eliminateCardDuplication gives back the tokens there are, within one answer as well', async (t) => {
	const { capture, party, store } = await openPartnership(t);
	const token = await store({}, '?eliminateCardDuplication=true');
	party.answers(cards(card(), card(), card({ number: AMEX, brand: 'AMEX' }), card({ number: AMEX, brand: 'AMEX' })));
	const answer = await capture({ ...SEVERAL, eliminateCardDuplication: 'true' });
	const [first, second, third, fourth] = tokensOf(answer.headers['x-service-carduri']);
	t.deepEqual([first, second], [token, token]);
	t.is(third, fourth);
	t.not(third, token);
	const without = tokensOf((await capture(SEVERAL)).headers['x-service-carduri']);
	t.is(new Set([...without, token, third]).size, 6);
});

test('shapes §11: a capture costs one unit, or one for each card it stored', async (t) => {
	const { capture, party, parts } = await openPartnership(t, { account: { allowanceLimit: 100 } });
	const costs = async (told: object) => {
		const before = await usedUnits(parts);
		party.answers(told);
		await capture(SEVERAL);
		return (await usedUnits(parts)) - before;
	};
	t.is(await costs(cards()), 1);
	t.is(await costs(cards(card())), 1);
	t.is(await costs(cards(card(), card(), card({ number: BAD_LUHN }))), 2);
	t.is(await costs({ status: 404, body: 'gone' }), 1);
	t.is(await costs({ headers: JSON_TYPE, body: `broken ${VISA}` }), 1);
});

test('spec §4.1: a thousand cards in one answer', async (t) => {
	const { capture, party } = await openPartnership(t);
	const refused = card({ number: BAD_LUHN });
	const list = Array.from({ length: 1000 }, (_, nth) => (nth === 700 ? refused : card()));
	party.answers(cards(...list));
	const answer = await capture(SEVERAL);
	t.is(answer.statusCode, 200, answer.body.slice(0, 500));
	const headers = [answer.headers['x-service-carduri']].flat().map(String);
	t.true(headers.every((line) => line.length <= 8000));
	const tokens = tokensOf(headers.join(','));
	t.is(tokens.length, 999);
	t.is(new Set(tokens).size, 999);
	const errors = String(answer.headers[ERRORS]).split(';;');
	t.is(errors.length, 1000);
	t.is(errors[700], 'Luhn (Mod10) error');
	t.is(answer.body.match(/411111\*{6}1111/g)?.length, 999);
});

test('shapes §1: the same Idempotency-Key brings the first answer and its tokens again', async (t) => {
	const own = LIST_PROFILE.replace('name: Several', 'name: Several\ntokenHeader: X-Our-Tokens');
	const { capture, party } = await openPartnership(t, { profiles: [own], answer: cards(card()) });
	const call = { headers: { 'idempotency-key': 'fetch-1' } };
	const [first, again] = [await capture(SEVERAL, call), await capture(SEVERAL, call)];
	t.is(again.body, first.body);
	t.truthy(first.headers['x-our-tokens']);
	t.is(again.headers['x-our-tokens'], first.headers['x-our-tokens']);
	t.is(party.seen.length, 1);
});
