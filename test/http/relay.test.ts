import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import type { Call } from '../helpers/http-rooms.ts';
import {
	callsOf,
	isBadInput,
	isRefused,
	JSON_PROFILE,
	openPartnership,
	type Query,
	XML_PROFILE,
} from '../helpers/third-party.ts';

const AMEX = '378282246310005';
const NOT_AUTHORIZED = {
	code: -1003,
	message: 'You are not authorized to access this resource. Please contact customer support.',
	moreInfo: null,
};

test('spec §4.1: the card stands where the profile says, every other byte as it came', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	party.answers(({ text }) => ({ status: 201, headers: { 'x-their-header': 'yes' }, body: `{"echo":${text}}` }));
	const cardToken = await store({ NameOnCard: 'A HOLDER' });
	const payload =
		'{ "card": {"number":"", "month":"", "year": null, "cvv":"000", "holder":"x", "brand":""}, "o": 1.0 }';
	const answer = await relay({ cardToken }, { payload });
	t.is(
		party.only().text,
		`{ "card": {"number":"${VISA}", "month":"04", "year": "2030", "cvv":"", "holder":"A HOLDER", "brand":"Visa"}, "o": 1.0 }`,
	);
	t.is(answer.statusCode, 201);
	t.is(answer.headers['x-their-header'], 'yes');
	t.true(answer.body.includes('411111******1111'));
	t.false(answer.body.includes(VISA));
});

test('shapes §4: a number that comes back without quotes is masked in JSON that can still be read', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	party.answers(({ text }) => ({ headers: { 'content-type': 'application/json' }, body: text }));
	const answer = await relay({ cardToken: await store() }, { payload: '{"card":{"number":0,"month":0,"year":0}}' });
	t.is(party.only().text, `{"card":{"number":${VISA},"month":4,"year":2030}}`);
	t.is(answer.body, '{"card":{"number":"411111******1111","month":4,"year":2030}}');
});

interface Refusal {
	readonly query?: Query;
	readonly call?: Call;
	readonly moreInfo: string;
}

const refusals: Record<string, Refusal> = {
	'profileName that the account has not': {
		query: { profileName: 'Nobody' },
		moreInfo: 'profileName: the account has no profile of this name',
	},
	'profileName in another case': {
		query: { profileName: 'partner' },
		moreInfo: 'profileName: the account has no profile of this name',
	},
	'no profileName': { query: { profileName: null }, moreInfo: 'profileName: is required' },
	'an empty body': { call: { payload: '' }, moreInfo: 'body: is empty' },
	'no Content-Type': { call: { headers: { 'content-type': '' } }, moreInfo: 'Content-Type: is required' },
	'httpMethod in lower case': {
		query: { httpMethod: 'post' },
		moreInfo: 'httpMethod: expected one of POST, GET, PUT, PATCH, DELETE',
	},
	'httpMethod HEAD': {
		query: { httpMethod: 'HEAD' },
		moreInfo: 'httpMethod: expected one of POST, GET, PUT, PATCH, DELETE',
	},
	'no targetUri at all': {
		query: { targetUri: null },
		moreInfo: 'targetUri: is required: neither the call nor the profile names one',
	},
	'a relative targetUri': {
		query: { targetUri: '/book' },
		moreInfo: 'targetUri: expected an absolute http or https address',
	},
	'a targetUri of another scheme': {
		query: { targetUri: 'ftp://partner.example/book' },
		moreInfo: 'targetUri: expected an absolute http or https address',
	},
	'a password in targetUri': {
		query: { targetUri: 'https://user:secret@partner.example/' },
		moreInfo: 'targetUri: may not hold a user name or password',
	},
	'a card number in targetUri': {
		query: { targetUri: `https://partner.example/${VISA}` },
		moreInfo: 'targetUri: looks as if it contained a card number, which the profile does not allow',
	},
	'neither cardToken nor X-service-cardUri': { query: { cardToken: null }, moreInfo: 'X-service-cardUri: is required' },
	'X-service-cardUri without a readable token': {
		query: { cardToken: null },
		call: { headers: { 'x-service-carduri': 'https://vault.example/api/payments/paycard/4111' } },
		moreInfo: 'X-service-cardUri: expected token URIs',
	},
	'a token in cardToken and one in X-service-cardUri': {
		call: { headers: { 'x-service-carduri': `https://vault.example/api/payments/paycard/${'0'.repeat(32)}` } },
		moreInfo: 'X-service-cardUri: expected none beside cardToken: name the tokens in the query or in the header',
	},
	'an empty place among several tokens': {
		query: { cardToken: `${'0'.repeat(32)},,${'0'.repeat(32)}` },
		moreInfo: 'cardToken: a token of the list is empty',
	},
	'a timeout that is no number': {
		query: { timeout: '2s' },
		moreInfo: 'timeout: expected milliseconds, a whole number above 0',
	},
	'a timeout of nothing': {
		query: { timeout: 0 },
		moreInfo: 'timeout: expected milliseconds, a whole number above 0',
	},
	'selectors that match nothing': {
		call: { payload: '{"other":{}}' },
		moreInfo: 'the selectors of the profile match nothing in the body',
	},
	'a body of another format': {
		call: { payload: '<card/>' },
		moreInfo: 'body: not well-formed JSON: expected a value at byte 0, line 1',
	},
};

test('spec §7.4: what is wrong with a relay is a 400 that names it, and nothing leaves', async (t) => {
	const { relay, party, store, rooms } = await openPartnership(t, { account: { allowanceLimit: 1000 } });
	const cardToken = await store();
	const before = (await rooms.identity.accounts.get('merchant')).allowanceUsed;
	for (const [name, { query, call, moreInfo }] of Object.entries(refusals)) {
		const answer = await relay({ cardToken, ...query }, call);
		t.is(answer.json().moreInfo, moreInfo, name);
		isBadInput(t, answer, moreInfo);
	}
	t.is(party.seen.length, 0);
	t.is((await rooms.identity.accounts.get('merchant')).allowanceUsed, before, 'refused calls cost nothing');
	t.is((await rooms.database.knex('audit').where('action', 'card.relay')).length, 0);
});

test('spec §7.4: errors of relay are XML unless JSON is asked for', async (t) => {
	const { relay } = await openPartnership(t);
	const answer = await relay({ profileName: 'Nobody' }, { headers: { accept: '*/*' } });
	t.is(answer.statusCode, 400);
	t.true(
		answer.body.startsWith('<ErrorBlock><code>-125</code><message>Bad input data</message><moreInfo>profileName: '),
	);
});

test('spec §7.4: a profile that only tokenizes is refused', async (t) => {
	const tokenizing = XML_PROFILE.replace('direction: both', 'direction: tokenize');
	const { relay } = await openPartnership(t, { profiles: [tokenizing] });
	const answer = await relay({ profileName: 'Soap', cardToken: '0'.repeat(32) });
	isBadInput(t, answer, 'profileName: this profile only tokenizes; expected one that replaces tokens');
});

test('spec §7.4: cardToken that is no token is answered like a token that does not exist', async (t) => {
	const { caller, relay, party, store, rooms } = await openPartnership(t);
	const foreign = await callsOf(await rooms.createCaller('stranger'), party).store();
	const deleted = await store();
	t.is((await caller.inject('DELETE', `/api/payments/paycard/${deleted}`)).statusCode, 200);
	for (const cardToken of ['4111', 'z'.repeat(32), '0'.repeat(31), '0'.repeat(32), deleted, foreign]) {
		isRefused(t, await relay({ cardToken }), 401, NOT_AUTHORIZED);
	}
	for (const token of [deleted, foreign]) {
		const headers = { 'x-service-carduri': `https://vault.example/api/payments/paycard/${token}` };
		isRefused(t, await relay({}, { headers }), 401, NOT_AUTHORIZED);
	}
	t.is(party.seen.length, 0);
});

test('shapes §11: what is wrong with parameters or body is said before anything of the token', async (t) => {
	const { relay, party } = await openPartnership(t);
	for (const cardToken of ['4111', '0'.repeat(32)]) {
		const call = { payload: '{"other":{}}' };
		isBadInput(t, await relay({ cardToken }, call), 'the selectors of the profile match nothing in the body');
		const targetUri = '/book';
		isBadInput(t, await relay({ cardToken, targetUri }), 'targetUri: expected an absolute http or https address');
	}
	t.is(party.seen.length, 0);
});

test('spec §4.1: the token comes in cardToken in any case, or its URI in X-service-cardUri', async (t) => {
	const { relay, party, store, rooms } = await openPartnership(t);
	const token = await store();
	const uri = `${rooms.settings.baseUrl}/api/payments/paycard/${token}`;
	const answers = [
		await relay({ cardToken: token.toUpperCase() }),
		await relay({ cardToken: uri }),
		await relay({}, { headers: { 'X-Service-CardUri': uri } }),
		await relay({ cardToken: token }, { headers: { 'x-service-carduri': '' } }),
	];
	t.deepEqual(
		answers.map(({ statusCode }) => statusCode),
		[200, 200, 200, 200],
	);
	t.true(party.seen.every(({ text }) => text.includes(VISA)));
});

test('spec §2.3, §5.4.5: an associated account may use the token, until it may no longer', async (t) => {
	const { party, rooms, ...owner } = await openPartnership(t);
	const merchant = await rooms.createCaller('agency');
	await rooms.profiles.put(merchant.account.id, JSON_PROFILE);
	const agency = callsOf(merchant, party);
	const [alone, shared] = [await owner.store(), await owner.store({}, '?merchantId=agency')];
	isRefused(t, await agency.relay({ cardToken: alone }), 401, NOT_AUTHORIZED);
	t.is((await agency.relay({ cardToken: shared })).statusCode, 200);
	t.true(party.only().text.includes(VISA));
	await owner.caller.inject('DELETE', `/api/payments/paycard/${shared}/merchants/agency`);
	isRefused(t, await agency.relay({ cardToken: shared }), 401, NOT_AUTHORIZED);
});

test('spec §7.4: a token that holds no card is a 404', async (t) => {
	const { caller, relay, party } = await openPartnership(t);
	const block = await caller.inject('POST', '/api/datablocks', {
		payload: '{"Payload":"anything","Reference":"r"}',
		headers: { 'content-type': 'application/json' },
	});
	t.is(block.statusCode, 201, block.body);
	const cardToken = String(block.headers.location).slice(-32);
	const answer = await relay({ cardToken });
	t.is(answer.statusCode, 404);
	const { code, message } = answer.json();
	t.deepEqual([code, message], [-160, 'Uri not found']);
	t.is(party.seen.length, 0);
});

test('shapes §3: a network token goes out like a card', async (t) => {
	const { caller, relay, party, store } = await openPartnership(t);
	const made = await caller.inject('POST', `/api/payments/paycard/networkToken?cardUri=${await store()}`);
	t.is(made.statusCode, 201, made.body);
	t.is((await relay({ cardToken: String(made.headers.location).slice(-32) })).statusCode, 200);
	const { number } = JSON.parse(party.only().text).card;
	t.regex(number, /^\d{16}$/);
	t.not(number, VISA);
});

test('spec §2.1, §2.5: a sub-user relays by the profiles and with the cards of its parent', async (t) => {
	const { party, rooms, store } = await openPartnership(t);
	const clerk = callsOf(await rooms.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party);
	t.is((await clerk.relay({ cardToken: await store() })).statusCode, 200);
	t.is((await clerk.relay({ cardToken: await clerk.store() })).statusCode, 200);
	t.is(party.seen.length, 2);
});

test('spec §5.4.2: a key without Relay is refused, and so is a call without a key', async (t) => {
	const { party, rooms } = await openPartnership(t);
	const reader = callsOf(await rooms.createCaller('reader', { permissions: ['QueryTokens', 'Capture'] }), party);
	const answer = await reader.relay({ cardToken: '0'.repeat(32) });
	t.is(answer.statusCode, 403);
	t.is(answer.json().message, 'Permission Relay is required');
	const nobody = await rooms.app.inject({ method: 'POST', url: '/api/payments/paycard/relay', payload: '{}' });
	t.deepEqual([nobody.statusCode, nobody.body], [401, '']);
});

const SLOT = '{"number":"","month":"","year":"","cvv":"","holder":"","brand":""}';

test('shapes §4: several tokens go to as many places, in order', async (t) => {
	const { relay, party, store, rooms } = await openPartnership(t);
	const tokens = [await store(), await store({ Number: AMEX, Type: 'AMEX' }), await store()];
	const call = { payload: `{"cards":[${SLOT},${SLOT},${SLOT}]}` };
	t.is((await relay({ profileName: 'Several', cardToken: tokens.join(',') }, call)).statusCode, 200);
	const uris = tokens.map((token) => `${rooms.settings.baseUrl}/api/payments/paycard/${token}`).join(', ');
	const headers = { 'x-service-carduri': uris };
	t.is((await relay({ profileName: 'Several' }, { ...call, headers })).statusCode, 200);
	for (const { text } of party.seen) {
		const numbers = JSON.parse(text).cards.map(({ number }: { number: string }) => number);
		t.deepEqual(numbers, [VISA, AMEX, VISA]);
	}
	const entries = await rooms.database.knex('audit').where('action', 'card.relay');
	t.is(entries.length, 6, 'an entry for each card');
	for (const { details } of entries) t.regex(details, /"address":"127\.0\.0\.1","credential":"api-key \d+"/);
});

test('shapes §4: more or fewer tokens than places are refused; one goes everywhere', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const token = await store();
	const call = { payload: `{"cards":[${SLOT},${SLOT}]}` };
	const answer = await relay({ profileName: 'Several', cardToken: `${token},${token},${token}` }, call);
	isBadInput(t, answer, '3 tokens were given; the selectors of the profile match 2 cards');
	t.is(party.seen.length, 0);
	t.is((await relay({ profileName: 'Several', cardToken: token }, call)).statusCode, 200);
	t.is(party.only().text.split(VISA).length, 3);
});

test('shapes §4: placeholders of a text name the card they are of', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = [await store(), await store({ Number: AMEX, Type: 'AMEX', NameOnCard: 'B' })].join(',');
	const payload =
		'1={{cardNumber}} {{expirationMonth}}/{{expirationYear2}};2={{cardNumber:2}} {{nameOnCard:2}}{{cvv:2}}';
	const headers = { 'content-type': 'text/plain' };
	t.is((await relay({ profileName: 'Text', cardToken }, { payload, headers })).statusCode, 200);
	t.is(party.only().text, `1=${VISA} 04/30;2=${AMEX} B`);
});
