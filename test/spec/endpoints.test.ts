// Tests spec §4.1: the endpoints that are shown, their texts and their paging. What tokenizing a file says card by card is
// tested in test/http/files.slow.test.ts, and for batches in batch.test.ts.

import { X509Certificate } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { asJson, cardJson, cardXml, json, postCard, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { type Caller, openHttpApp } from '../helpers/http-app.ts';

const TEMPSESSION = '/api/payments/paycard/tempsession';
const META = '/api/payments/paycard/meta';
const BLOCKS = '/api/datablocks';

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	return { parts, caller: await parts.createCaller('agency') };
}

const tempsession = test.macro({
	async exec(t, headers: Record<string, string>, payload?: string) {
		const { caller } = await open(t);
		const response = await caller.inject('POST', TEMPSESSION, { headers, payload });
		t.is(response.statusCode, 200);
		t.is(response.headers['content-type'], 'text/plain; charset=utf-8');
		t.regex(response.body, /^ts_[\w-]{43}$/, 'the token and nothing else');
	},
	title: (text = '') => `spec §4.1: tempsession answers with the session token as plain text ${text}`,
});
test('whatever Accept says: nothing', tempsession, {});
test('whatever Accept says: application/json', tempsession, { accept: 'application/json' });
test('whatever Accept says: application/xml', tempsession, { accept: 'application/xml' });
test('without a body of type JSON', tempsession, { 'content-type': 'application/json' });
test('without a body of type XML', tempsession, { 'content-type': 'text/xml' });
test('without a body of a form', tempsession, { 'content-type': 'application/x-www-form-urlencoded' }, '');

test('spec §4.1: every call of tempsession makes another token, and none ends another', async (t) => {
	const { parts, caller } = await open(t);
	const tokens = [];
	for (let n = 0; n < 3; n++) tokens.push((await caller.inject('POST', TEMPSESSION)).body);
	t.is(new Set(tokens).size, 3);
	for (const token of tokens) {
		t.is((await parts.app.inject({ method: 'GET', url: `${META}?sessionToken=${token}` })).statusCode, 200);
	}
});

test('spec §4.1: the certificate downloads as it is, whatever Accept says, and is the same each time', async (t) => {
	const { parts } = await open(t);
	const seen = new Set<string>();
	for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json', '*/*']) {
		const response = await parts.app.inject({ method: 'GET', url: '/api', headers: { accept } });
		t.is(response.headers['content-type'], 'application/pkix-cert');
		const { publicKey, fingerprint256 } = new X509Certificate(response.rawPayload);
		t.is(publicKey.asymmetricKeyType, 'rsa');
		seen.add(fingerprint256);
	}
	t.is(seen.size, 1);
});

const items = async (caller: Caller, url: string) => {
	const response = await caller.inject('GET', url, asJson);
	return { headers: response.headers, list: response.json() as Record<string, unknown>[] };
};

async function storeBatch(caller: Caller, count: number, query = ''): Promise<string[]> {
	const response = await caller.inject('POST', `/api/payments/paycard/batch${query}`, {
		headers: { 'content-type': 'application/x-ndjson' },
		payload: Array.from({ length: count }, () => `${cardJson()}\n`).join(''),
	});
	return response.body
		.trim()
		.split('\n')
		.map((line) => (JSON.parse(line) as { uri: string }).uri);
}

test('spec §4.1, §8: Query Tokens gives 100 items unless num says more, and num has no maximum', async (t) => {
	const { caller } = await open(t);
	const uris = await storeBatch(caller, 120);
	t.is((await items(caller, META)).list.length, 100);
	t.is((await items(caller, `${META}?num=101`)).list.length, 101);
	const all = (await items(caller, `${META}?num=2000000000`)).list;
	t.deepEqual(all.map(({ URI }) => URI).sort(), uris.sort());
});

const pages = test.macro({
	async exec(t, path: string, names: { items: string; offset: string }, fill: (caller: Caller) => Promise<unknown>) {
		const { caller } = await open(t);
		await fill(caller);
		const whole = (await items(caller, path)).list;
		t.is(whole.length, 7);
		const seen: unknown[] = [];
		for (let received = 3; received === 3; ) {
			const { list, headers } = await items(caller, `${path}?${names.items}=3&${names.offset}=${seen.length}`);
			t.true(Array.isArray(list), 'an array and nothing around it');
			t.deepEqual(
				Object.keys(headers).filter((name) => /link|count|total|range|next|cursor|page/.test(name)),
				[],
				'neither a total count nor a marker of the next page',
			);
			received = list.length;
			seen.push(...list);
		}
		t.deepEqual(seen, whole);
		t.deepEqual((await items(caller, `${path}?${names.offset}=0&${names.items}=1`)).list, [whole[0]]);
		t.deepEqual((await items(caller, `${path}?${names.offset}=7`)).list, []);
	},
	title: (_, path) =>
		`spec §4.1: ${path} is paged by raising the offset, from zero, until fewer come than were asked for`,
});
test(pages, META, { items: 'num', offset: 'from' }, (caller) => storeBatch(caller, 7));
test(pages, BLOCKS, { items: 'maxItems', offset: 'offset' }, async (caller) => {
	for (let n = 0; n < 7; n++) await caller.inject('POST', BLOCKS, json({ Payload: `p${n}` }));
});

test('spec §4.1: a list without a match is an empty array, in both formats', async (t) => {
	const { caller } = await open(t);
	for (const path of [META, `${META}?ref=nothing`, BLOCKS, `${BLOCKS}?ref=nothing`]) {
		const response = await caller.inject('GET', path, asJson);
		t.deepEqual([response.statusCode, response.body], [200, '[]'], path);
		const asXml = await caller.inject('GET', path, { headers: { accept: 'application/xml' } });
		t.regex(asXml.body, /^<ArrayOf(\w+)><\/ArrayOf\1>$/, path);
	}
});

test('spec §2.3, §4.1: the reference filter finds what the caller owns, not what it may use', async (t) => {
	const { parts, caller } = await open(t);
	const other = await parts.createCaller('other');
	const mine = await storeCard(caller, '?ref=order-1');
	const theirs = await storeCard(other, '?ref=order-1&merchantId=agency');
	t.is((await caller.inject('GET', `/api/payments/paycard/${theirs}/meta`, asJson)).statusCode, 200);
	const found = (await items(caller, `${META}?ref=order-1`)).list;
	t.deepEqual(
		found.map(({ URI }) => String(URI).slice(-32)),
		[mine],
	);
});

test('spec §2.3: a token is 32 hexadecimal characters, its URI ends in it, and Location is the URI', async (t) => {
	const { caller } = await open(t);
	const response = await postCard(caller);
	const uri = String(response.headers.location);
	t.true(URL.canParse(uri));
	const token = uri.split('/').at(-1)!;
	t.regex(token, /^[0-9a-f]{32}$/);
	const { URI } = (await caller.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json();
	t.is(URI, uri);
});

const errorText = test.macro({
	async exec(t, card: object, text: string) {
		const { caller } = await open(t);
		const single = await postCard(caller, '', card);
		t.deepEqual([single.statusCode, single.json().message], [400, 'Bad input data']);
		t.true(single.json().moreInfo.endsWith(`: ${text}`), single.body);
		const payload = `${cardJson(card)}\n${cardJson()}\n`;
		const batch = await caller.inject('POST', '/api/payments/paycard/batch', {
			headers: { 'content-type': 'application/x-ndjson' },
			payload,
		});
		const lines = batch.body
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		t.deepEqual([lines[0].error, lines[0].token, lines[1].error], [text, null, null]);
	},
	title: (_, __, text) => `spec §4.1, shapes §2: '${text}' is what a card is refused with`,
});
test(errorText, { Number: '4111111111111112' }, 'Luhn (Mod10) error');
test(errorText, { ExpirationDate: { Month: '01', Year: '2020' } }, 'Expired card');
test(errorText, { Number: '41111111111' }, 'Number has less than 12 digits');
test(errorText, { Number: `${VISA}0000000` }, 'Number is longer than 22 chars');

const warningText = test.macro({
	async exec(t, type: string | undefined, text: string | undefined) {
		const { caller } = await open(t);
		const response = await postCard(caller, '', { Type: type });
		t.is(response.statusCode, 201, 'the card is tokenized all the same');
		t.is(response.headers['x-service-tokenization-warnings'], text);
		t.is(response.headers['x-service-tokenization-errors'], undefined);
		const list = await caller.inject(
			'POST',
			'/api/payments/paycard',
			xml(cardXml().replace('<BankCard>', type === undefined ? '<BankCard>' : `<BankCard><Type>${type}</Type>`)),
		);
		t.is(list.headers['x-service-tokenization-warnings'], text);
	},
	title: (_, type, text) =>
		`spec §2.4, §4.1: a Visa number with the type ${type} is warned about: ${text ?? 'not at all'}`,
});
test(warningText, 'MasterCard', 'Card type validation message');
test(warningText, 'Nonsense', 'The Card type is missing');
test(warningText, undefined, 'The Card type is missing');
test(warningText, 'Visa', undefined);

test('spec §4.1: errors and warnings of a file stand at the place of their card, between double semicolons', async (t) => {
	const { caller } = await open(t);
	const rows = [
		`${VISA},12,2029,MasterCard`,
		'4111111111111112,12,2029,Visa',
		'5555555555554444,12,2029,MasterCard',
		`${VISA},12,2020,Visa`,
		'41111111111,12,2029,Visa',
	];
	const file = `CardNumber,ExpirationMonth,ExpirationYear,CardType\n${rows.join('\n')}\n`;
	const response = await caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', {
		headers: { 'content-type': 'text/csv' },
		payload: file,
	});
	const errors = String(response.trailers['x-service-tokenization-errors']).split(';;');
	const warnings = String(response.trailers['x-service-tokenization-warnings']).split(';;');
	t.deepEqual(errors, ['', 'Luhn (Mod10) error', '', 'Expired card', 'Number has less than 12 digits']);
	t.deepEqual(warnings, ['Card type validation message', '', '', '', '']);
	const lines = response.payload.split('\n').slice(1, 6);
	for (const [index, row] of rows.entries()) {
		if (errors[index] === '') t.regex(lines[index], /^[0-9a-f]{32},/);
		else t.is(lines[index], row, 'a card that cannot be tokenized passes unchanged');
	}
});
