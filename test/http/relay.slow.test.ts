// Those tests of relay.test.ts that take long.

import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import type { Call } from '../helpers/http-app.ts';
import { callsOf, isBadInput, isRefused, JSON_PROFILE, openPartnership, type Query } from '../helpers/third-party.ts';

const NOT_AUTHORIZED = {
	code: -1003,
	message: 'You are not authorized to access this resource. Please contact customer support.',
	moreInfo: null,
};

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
	const { relay, party, store, parts } = await openPartnership(t, { account: { allowanceLimit: 1000 } });
	const cardToken = await store();
	const before = (await parts.identity.accounts.get('merchant')).allowanceUsed;
	for (const [name, { query, call, moreInfo }] of Object.entries(refusals)) {
		const answer = await relay({ cardToken, ...query }, call);
		t.is(answer.json().moreInfo, moreInfo, name);
		isBadInput(t, answer, moreInfo);
	}
	t.is(party.seen.length, 0);
	t.is((await parts.identity.accounts.get('merchant')).allowanceUsed, before, 'refused calls cost nothing');
	t.is((await parts.database.knex('audit').where('action', 'card.relay')).length, 0);
});

test('spec §7.4: errors of relay are XML unless JSON is asked for', async (t) => {
	const { relay } = await openPartnership(t);
	const answer = await relay({ profileName: 'Nobody' }, { headers: { accept: '*/*' } });
	t.is(answer.statusCode, 400);
	t.true(
		answer.body.startsWith('<ErrorBlock><code>-125</code><message>Bad input data</message><moreInfo>profileName: '),
	);
});

test('spec §7.4: cardToken that is no token is answered like a token that does not exist', async (t) => {
	const { caller, relay, party, store, parts } = await openPartnership(t);
	const foreign = await callsOf(await parts.createCaller('stranger'), party).store();
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

test('spec §2.3, §5.4.5: an associated account may use the token, until it may no longer', async (t) => {
	const { party, parts, ...owner } = await openPartnership(t);
	const merchant = await parts.createCaller('agency');
	await parts.profiles.put(merchant.account.id, JSON_PROFILE);
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
	const { party, parts, store } = await openPartnership(t);
	const clerk = callsOf(await parts.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party);
	t.is((await clerk.relay({ cardToken: await store() })).statusCode, 200);
	t.is((await clerk.relay({ cardToken: await clerk.store() })).statusCode, 200);
	t.is(party.seen.length, 2);
});
