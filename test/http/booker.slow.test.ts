// Tests presets and universal tokenization (spec §4.1, shapes §4).

import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { callsOf, isBadInput, openPartnership } from '../helpers/third-party.ts';

const RESERVATION = {
	reservations: [
		{ id: 7, payment: { card: { number: VISA, expiryMonth: '04', expiryYear: '2030', holder: 'A', cvv: '123' } } },
	],
};
const JSON_TYPE = { 'content-type': 'application/json' };

test('spec §4.1: GET /api/booker lists the presets of the platform, and not the caller’s own', async (t) => {
	const { caller } = await openPartnership(t);
	const answer = await caller.inject('GET', '/api/booker');
	t.is(answer.statusCode, 200);
	t.is(answer.headers['content-type'], 'text/json; charset=utf-8');
	const list = answer.json() as Record<string, unknown>[];
	t.deepEqual(
		list.map(({ Name }) => Name),
		['FormCard', 'JsonReservations', 'NdcOrderCreate', 'OtaHotelResNotif', 'OtaResRetrieve'],
	);
	for (const preset of list) {
		t.deepEqual(Object.keys(preset), ['Name', 'Description', 'TargetUri', 'HttpMethod', 'ContentType']);
		t.truthy(preset.Description);
	}
	const { TargetUri, HttpMethod, ContentType } = list[1];
	t.deepEqual([TargetUri, HttpMethod, ContentType], [null, 'GET', 'application/json']);
});

test('shapes §1: the presets in XML', async (t) => {
	const { caller } = await openPartnership(t);
	const answer = await caller.inject('GET', '/api/booker', { headers: { accept: 'application/xml' } });
	t.is(answer.headers['content-type'], 'application/xml; charset=utf-8');
	t.regex(answer.body, /^(<\?xml[^>]*>)?<ArrayOfPreset><Preset><Name>FormCard<\/Name><Description>/);
	t.is(answer.body.split('<Preset>').length, 6);
	t.false(answer.body.includes('<TargetUri'), 'what has no value is left out');
});

test('shapes §11: /api/booker needs a credential', async (t) => {
	const { parts } = await openPartnership(t);
	const answer = await parts.app.inject({ method: 'GET', url: '/api/booker' });
	t.deepEqual([answer.statusCode, answer.body], [401, '']);
});

test('shapes §4: POST /api/booker/{profileName} behaves as capture', async (t) => {
	const { call, party, caller } = await openPartnership(t, {
		account: { cvvRetention: true },
		answer: { headers: JSON_TYPE, body: JSON.stringify(RESERVATION) },
	});
	const query = { targetUri: `${party.url}/list?from=1`, ref: 'order-9' };
	const answer = await call('/api/booker/JsonReservations', query);
	t.is(answer.statusCode, 200, answer.body);
	t.deepEqual([party.only().method, party.only().url], ['GET', '/list?from=1']);
	const { card } = answer.json().reservations[0].payment;
	t.deepEqual([card.number, card.cvv, card.holder], ['411111******1111', '***', 'A']);
	t.is(answer.headers['x-service-tokenization-warnings'], 'The Card type is missing');
	const token = String(answer.headers['x-service-carduri']).slice(-32);
	const metadata = (await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).json();
	t.deepEqual([metadata.CreatorReference, metadata.CvvExists], ['order-9', true]);
});

test('shapes §4: a preset sends the body and its content type', async (t) => {
	const form = `cardNumber=${VISA}&expiryMonth=04&expiryYear=30&cvv=&cardType=Visa`;
	const { call, party } = await openPartnership(t, {
		answer: { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form },
	});
	const given = { payload: 'id=1', headers: { 'content-type': '' } };
	const answer = await call('/api/booker/FormCard', { targetUri: party.url }, given);
	t.is(answer.statusCode, 200, answer.body);
	const { method, text, headers } = party.only();
	t.deepEqual([method, text, headers['content-type']], ['POST', 'id=1', 'application/x-www-form-urlencoded']);
	t.is(answer.body, form.replace(VISA, '411111******1111'));
	await call('/api/booker/FormCard', { targetUri: party.url, httpMethod: 'PUT' }, given);
	t.is(party.seen[1].method, 'PUT');
});

test('shapes §4: an unknown preset, or none in another case, is a bad input', async (t) => {
	const { call, party } = await openPartnership(t);
	const moreInfo = 'profileName: there is no preset of this name';
	for (const name of ['Unknown', 'formcard', 'Partner']) {
		isBadInput(t, await call(`/api/booker/${name}`, { targetUri: party.url }), moreInfo);
	}
	const without = await call('/api/booker/FormCard', {});
	isBadInput(t, without, 'targetUri: is required: neither the call nor the profile names one');
	t.is(party.seen.length, 0);
});

test('shapes §11: in production a preset reaches any public host, over https', async (t) => {
	const { call, party } = await openPartnership(t, { settings: { environment: 'production' }, profiles: [] });
	isBadInput(t, await call('/api/booker/FormCard', { targetUri: party.url }), 'targetUri: expected https');
	const answer = await call('/api/booker/FormCard', { targetUri: party.url.replace('http:', 'https:') });
	t.is(answer.statusCode, 502, 'it was called, and speaks no TLS');
});

test('spec §5.4.2: universal tokenization needs Capture', async (t) => {
	const { parts, party } = await openPartnership(t);
	const reader = callsOf(await parts.createCaller('reader', { permissions: ['QueryTokens'] }), party);
	t.is((await reader.call('/api/booker/FormCard', { targetUri: party.url })).statusCode, 403);
	t.is((await reader.caller.inject('GET', '/api/booker')).statusCode, 200);
});
