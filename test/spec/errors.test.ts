// Tests spec §7.1, §7.3, §7.4, §8 over the real endpoints. The look of every reason is tested in test/http/errors.test.ts,
// the token rows in tokens.test.ts, and every way to write a bad card in test/http/card-body.test.ts.

import test, { type ExecutionContext } from 'ava';
import { catalogue, type ErrorRow } from '../../src/base/errors.ts';
import { cardJson, cardXml, json, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { type Call, type Caller, openHttpApp } from '../helpers/http-app.ts';
import { bare, listOperations } from '../helpers/operations.ts';

const CARD = '/api/payments/paycard';
const META = `${CARD}/meta`;
const NOT_AUTHORIZED = 'You are not authorized to access this resource. Please contact customer support.';
const JSON_ONLY = { accept: 'application/json' };

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	return { parts, caller: await parts.createCaller('agency') };
}

test('spec §7.3, shapes §1: each status has its code, and codes that are never returned are nowhere', (t) => {
	const codes: Record<number, (number | null)[]> = {
		400: [-125],
		401: [-1003, null],
		403: [-1003],
		404: [-160, null],
		405: [null],
		// This project added 409 for a streamed call that was begun before under its idempotency key (shapes §1.21).
		409: [-125],
		500: [-150],
		502: [-150],
		503: [-150],
		504: [-175],
	};
	for (const [reason, { status, code, message }] of Object.entries<ErrorRow>(catalogue)) {
		t.true(codes[status]?.includes(code), reason);
		t.is(code === null, message === null, reason);
		t.false([-174, -176, -180, -1002, -1004, -1005, -1006].includes(code ?? 0), reason);
	}
	const texts = new Set(
		Object.values<ErrorRow>(catalogue).flatMap(({ code, message }) => (code === -125 ? [message] : [])),
	);
	t.deepEqual([...texts], ['Bad input data', 'Bad input parameter', 'Message badly formatted']);
});

test('spec §7.3: a missing Authorization header is an empty 401, not -1002', async (t) => {
	const { parts } = await open(t);
	const response = await parts.app.inject({ method: 'GET', url: META, headers: JSON_ONLY });
	t.deepEqual([response.statusCode, response.body], [401, '']);
});

/** Checks how a call is refused in both formats, and that no answer repeats the number that was sent. */
async function isRefused(
	t: ExecutionContext,
	caller: Caller,
	request: { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; url: string; call: Call },
	expected: { status: number; code: number; message: string; moreInfo: RegExp },
) {
	const { method, url, call } = request;
	const response = await caller.inject(method, url, { ...call, headers: { ...call.headers, ...JSON_ONLY } });
	t.is(response.statusCode, expected.status, response.body);
	const error = response.json();
	t.deepEqual(Object.keys(error), ['code', 'message', 'moreInfo']);
	t.like(error, { code: expected.code, message: expected.message });
	t.regex(error.moreInfo, expected.moreInfo);
	const { accept: _, ...headers } = (call.headers ?? {}) as Record<string, string>;
	const asXml = await caller.inject(method, url, { ...call, headers });
	t.is(asXml.statusCode, expected.status);
	const moreInfo = error.moreInfo.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
	t.is(
		asXml.body,
		`<ErrorBlock><code>${error.code}</code><message>${error.message}</message><moreInfo>${moreInfo}</moreInfo></ErrorBlock>`,
	);
	for (const { body } of [response, asXml]) t.notRegex(body, /\d{11}/);
}

const badInput = test.macro({
	async exec(t, url: string, call: Call, message: string, moreInfo: RegExp) {
		const { caller } = await open(t);
		await isRefused(t, caller, { method: 'POST', url, call }, { status: 400, code: -125, message, moreInfo });
		t.is((await caller.inject('GET', META)).body, '[]', 'nothing was stored');
	},
	title: (text = '', _, __, message) => `spec §7.4: ${text} is a 400 -125 ${message}`,
});
const DATA = 'Bad input data';
const date = (Month?: string, Year?: string) => json(cardJson({ ExpirationDate: { Month, Year } }));
const MONTH = /^BankCard\.ExpirationDate\.Month: /;
const YEAR = /^BankCard\.ExpirationDate\.Year: /;
test('an expiration month that is missing', badInput, CARD, date(undefined, '2030'), DATA, MONTH);
test('an expiration month above 12', badInput, CARD, date('13', '2030'), DATA, MONTH);
test('an expiration month of 00', badInput, CARD, date('00', '2030'), DATA, MONTH);
test('an expiration month of one digit', badInput, CARD, date('4', '2030'), DATA, MONTH);
test('an expiration month in words', badInput, CARD, date('April', '2030'), DATA, MONTH);
test('an expiration year that is missing', badInput, CARD, date('04'), DATA, YEAR);
test('an expiration year of two digits', badInput, CARD, date('04', '30'), DATA, YEAR);
test('an expiration year out of range', badInput, CARD, date('04', '0030'), DATA, YEAR);
test(
	'a number that is missing',
	badInput,
	CARD,
	json(cardJson({ Number: null })),
	DATA,
	/^BankCard\.Number: is required$/,
);
test('a card that is missing', badInput, CARD, json('{}'), DATA, /^BankCard: is required$/);
test('an empty body', badInput, CARD, { headers: { 'content-type': 'application/json' } }, DATA, /^body: /);
test(
	'a body of an unknown type',
	badInput,
	CARD,
	{ payload: 'x', headers: { 'content-type': 'text/plain' } },
	DATA,
	/^Content-Type: /,
);
test(
	'a merchantId that does not exist',
	badInput,
	`${CARD}?merchantId=nobody`,
	json(cardJson()),
	DATA,
	/^merchantId: /,
);
test(
	'a batch for a merchantId that does not exist',
	badInput,
	`${CARD}/batch?merchantId=nobody`,
	json('[]'),
	DATA,
	/^merchantId: /,
);
test('a filter that does not exist', badInput, '/api/files/tokenize?filter=XLS', { payload: 'x' }, DATA, /^filter: /);
test('a data block without its payload', badInput, '/api/datablocks', json('{}'), DATA, /^Payload: is required$/);
test('a cardUri that is missing', badInput, `${CARD}/duplicate`, {}, DATA, /^cardUri: is required$/);

const PARAMETER = 'Bad input parameter';
for (const cvv of ['12', '12345', '12a', '1 2', '١٢٣']) {
	test(`a CVV of '${cvv}'`, badInput, CARD, json(cardJson({ CVV: cvv })), PARAMETER, /^BankCard\.CVV: /);
}

const MALFORMED = 'Message badly formatted';
const [NUMBER, EXPIRY] = [
	`<Number>${VISA}</Number>`,
	'<ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate>',
];
test('XML that cannot be parsed', badInput, CARD, xml('<BankCardDetails><BankCard>'), MALFORMED, /./);
test('XML out of order', badInput, CARD, xml(cardXml(EXPIRY + NUMBER)), MALFORMED, /BankCard\.Number: expected before/);
test(
	'XML with an unknown element',
	badInput,
	CARD,
	xml(cardXml(`${NUMBER}${EXPIRY}<Colour>x</Colour>`)),
	MALFORMED,
	/Colour/,
);
test(
	'XML without an element it must have',
	badInput,
	CARD,
	xml(cardXml(EXPIRY)),
	MALFORMED,
	/BankCard\.Number: missing/,
);
test('JSON that cannot be parsed', badInput, CARD, json('{"BankCard":'), MALFORMED, /./);
test(
	'XML with three elements that fail, all of which are listed,',
	badInput,
	CARD,
	xml(cardXml(`<CVV>306</CVV>${EXPIRY}<NameOnCard>A</NameOnCard>${NUMBER}<Colour>x</Colour>`)),
	MALFORMED,
	/(?=.*Number)(?=.*NameOnCard)(?=.*Colour)/,
);

test('spec §2.4, §7.3: an account without CVV retention is refused what would keep a CVV', async (t) => {
	const { parts, caller } = await open(t);
	const refusal = { status: 401, code: -1003, message: 'User is not authorized to handle bank cards' };
	const withCvv = json(cardJson({ CVV: '306' }), JSON_ONLY);
	const asked = await caller.inject('POST', `${CARD}?saveCVV=true`, withCvv);
	t.is(asked.statusCode, refusal.status);
	t.like(asked.json(), { code: refusal.code, message: refusal.message });
	const token = await storeCard(caller, '', { CVV: '306' });
	t.false((await caller.inject('GET', `${CARD}/${token}/meta`)).json().CvvExists, 'unasked it is checked and dropped');
	const policy = await caller.inject('PUT', `${CARD}/${token}/cvvRetentionPolicy`, json('{}'));
	t.deepEqual([policy.statusCode, policy.json().message], [401, refusal.message]);
	const able = await parts.createCaller('keeper', { cvvRetention: true });
	t.is((await able.inject('POST', `${CARD}?saveCVV=true`, withCvv)).statusCode, 201);
});

test('spec §2.4: an absent or empty CVV is accepted and the card is stored without one', async (t) => {
	const { parts } = await open(t);
	const keeper = await parts.createCaller('keeper', { cvvRetention: true });
	for (const cvv of [undefined, null, '']) {
		const token = await storeCard(keeper, '', { CVV: cvv });
		t.false((await keeper.inject('GET', `${CARD}/${token}/meta`)).json().CvvExists);
	}
	for (const cvv of ['306', '3066']) {
		const token = await storeCard(keeper, '', { CVV: cvv });
		t.true((await keeper.inject('GET', `${CARD}/${token}/meta`)).json().CvvExists, 'for every brand');
	}
});

test('spec §7.4, §8: a blocked account has every billable call refused at once, and no other, until support lifts the block', async (t) => {
	const { parts } = await open(t);
	const caller = await parts.createCaller('small', { allowanceLimit: 1 });
	const token = await storeCard(caller);
	const csv = { payload: 'CardNumber\n', headers: { 'content-type': 'text/csv' } };
	const store: [string, Call] = [CARD, json(cardJson())];
	const billable: [string, Call][] = [
		store,
		[`${CARD}/duplicate?cardUri=${token}`, json('{}')],
		[`${CARD}/networkToken?cardUri=${token}`, json('{}')],
		[`${CARD}/batch`, json('[]')],
		['/api/files/tokenize?filter=SIMPLECSV', csv],
	];
	const refusal = { code: -1003, message: null, moreInfo: NOT_AUTHORIZED };
	for (let round = 0; round < 2; round++) {
		for (const [url, call] of billable) {
			const response = await caller.inject('POST', url, { ...call, headers: { ...call.headers, ...JSON_ONLY } });
			t.deepEqual([response.statusCode, response.json()], [403, refusal], url);
		}
	}
	for (const operation of await listOperations(parts.app)) {
		const headers = { 'x-service-api-key': caller.apiKey, ...JSON_ONLY };
		const response = await parts.app.inject(bare(operation, '', headers));
		const isRefused = response.statusCode === 403 && response.json().message === null;
		t.is(isRefused, operation.isBillable || operation.name.endsWith('/batch'), operation.name);
	}
	await parts.identity.accounts.unblock('small', 'operator test');
	t.is((await caller.inject('POST', ...store)).statusCode, 201, 'a fresh allowance');
	t.is((await caller.inject('POST', ...store)).statusCode, 403);
});

test('spec §8: date-times are ISO 8601, enum values text, currencies three letters', async (t) => {
	const { parts } = await open(t);
	const keeper = await parts.createCaller('keeper', { cvvRetention: true });
	const token = await storeCard(keeper, '', { CVV: '306', Virtual: { '@currency': 'AUD' } });
	const metadata = (await keeper.inject('GET', `${CARD}/${token}/meta`)).json();
	const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
	t.regex(metadata.CreateDate, isoDate);
	t.regex(metadata.EndRetentionDate, isoDate);
	t.is(metadata.CardType, 'Visa');
	t.is(metadata.VirtualInfo['@currency'], 'AUD');
	const refused = await keeper.inject('POST', CARD, json(cardJson({ Virtual: { '@currency': 'DOLLAR' } })));
	t.is(refused.statusCode, 400);
	const job = await keeper.inject('POST', '/api/files/tokenize?filter=SIMPLECSV&async=true', {
		payload: 'CardNumber\n',
		headers: { 'content-type': 'text/csv' },
	});
	t.regex(job.json().createdAt, isoDate);
	t.is(job.json().state, 'queued');
});
