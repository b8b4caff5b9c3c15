// Tests who may capture, and what is refused before anything is sent to the third party.

import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import {
	callsOf,
	isBadInput,
	isRefused,
	JSON_PROFILE,
	openPartnership,
	type Query,
	usedUnits,
} from '../helpers/third-party.ts';

const ONE_CARD = {
	headers: { 'content-type': 'application/json' },
	body: `{"card":{"number":"${VISA}","month":"04","year":"2030","brand":"Visa"}}`,
};

test('spec §7.4: what is wrong with a capture is said before anything leaves', async (t) => {
	const replacing = JSON_PROFILE.replace('direction: both', 'direction: replace').replace('Partner', 'Replacing');
	const { capture, party, parts } = await openPartnership(t, {
		profiles: [JSON_PROFILE, replacing],
		account: { allowanceLimit: 100 },
	});
	await parts.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' });
	const rows: [Query, string][] = [
		[{ profileName: 'partner' }, 'profileName: the account has no profile of this name'],
		[{ profileName: null }, 'profileName: is required'],
		[{ profileName: 'Replacing' }, 'profileName: this profile only replaces tokens; expected one that tokenizes'],
		[{ httpMethod: 'get' }, 'httpMethod: expected one of POST, GET, PUT, PATCH, DELETE'],
		[{ targetUri: 'partner.example' }, 'targetUri: expected an absolute http or https address'],
		[{ timeout: 'x' }, 'timeout: expected milliseconds, a whole number above 0'],
		[{ saveCVV: 'yes' }, 'saveCVV: expected true or false'],
		[{ eliminateCardDuplication: '1' }, 'eliminateCardDuplication: expected true or false'],
		[{ ref: VISA }, 'ref: looks like a card number'],
	];
	for (const [query, moreInfo] of rows) isBadInput(t, await capture(query), moreInfo);
	isBadInput(t, await capture({}, { headers: { 'content-type': '' } }), 'Content-Type: is required');
	t.is((await capture({ merchantId: 'nobody' })).statusCode, 400);
	t.is((await capture({ merchantId: 'clerk' })).statusCode, 403);
	isRefused(t, await capture({ saveCVV: 'true' }), 401, {
		code: -1003,
		message: 'User is not authorized to handle bank cards',
		moreInfo: 'saveCVV: expected false, since the account keeps no CVV',
	});
	t.is(party.seen.length, 0);
	t.is(await usedUnits(parts), 0);
});

test('spec §5.4.2: Capture is a permission of its own; a sub-user captures for its parent', async (t) => {
	const { party, parts, caller } = await openPartnership(t, { answer: ONE_CARD });
	const relayer = callsOf(await parts.createCaller('relayer', { permissions: ['Relay', 'Tokenize'] }), party);
	const refused = await relayer.capture();
	t.deepEqual([refused.statusCode, refused.json().message], [403, 'Permission Capture is required']);
	const clerk = callsOf(await parts.createCaller('clerk', { kind: 'sub-user', parent: 'merchant' }), party);
	const answer = await clerk.capture();
	const token = String(answer.headers['x-service-carduri']).slice(-32);
	t.is((await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).json().UserID, 'clerk');
});
