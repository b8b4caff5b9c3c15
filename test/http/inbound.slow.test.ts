// Those tests of inbound.test.ts that take long.

import test from 'ava';
import { isBadInput, isRefused, LIST_PROFILE, openPartnership, usedUnits } from '../helpers/third-party.ts';
import { CARD, JSON_TYPE, openInbound } from './inbound.setup.ts';

test('shapes §4: our credentials go no further', async (t) => {
	const { party, parts, caller } = await openInbound(t);
	const session = await caller.inject('POST', '/api/payments/paycard/tempsession');
	for (const name of ['sessionToken', 'SESSIONTOKEN', 'session%54oken']) {
		const url = `/api/inbound/merchant/Several?a=1&${name}=${session.body}&b=2&accessToken=`;
		const answer = await parts.app.inject({ method: 'POST', url, payload: CARD, headers: JSON_TYPE });
		t.is(answer.statusCode, 200, answer.body);
	}
	const headers = { ...JSON_TYPE, authorization: `APIKEY ${caller.apiKey}`, cookie: 'a=1' };
	await parts.app.inject({ method: 'POST', url: '/api/inbound/merchant/Several', payload: CARD, headers });
	const ours = { 'x-service-target-authorization': 'Basic dGhlaXJz', 'x-service-api-key': caller.apiKey };
	await parts.app.inject({
		method: 'POST',
		url: '/api/inbound/merchant/Several',
		payload: CARD,
		headers: { ...JSON_TYPE, ...ours },
	});
	t.deepEqual(
		party.seen.map(({ url }) => url),
		[...Array(3).fill('/base/?key=1&a=1&b=2'), '/base/?key=1', '/base/?key=1'],
	);
	for (const seen of party.seen) {
		const text = JSON.stringify([seen.url, seen.headers]);
		t.false(text.includes(caller.apiKey) || text.includes(session.body));
		t.is(seen.headers.cookie, undefined);
	}
	t.is(party.seen[3].headers.authorization, undefined);
	t.is(party.seen[4].headers.authorization, 'Basic dGhlaXJz');
});

test('shapes §4: the target is told where the call came from, whatever the caller says', async (t) => {
	const { party, parts } = await openInbound(t);
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as { port: number };
	const lies = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-host', 'x-real-ip'];
	const headers = Object.fromEntries([...lies, 'x-service-trace-id', 'x-service-carduri'].map((name) => [name, 'lie']));
	const secret = (await parts.createCaller('other')).apiKey;
	await parts.profiles.put((await parts.identity.accounts.get('other')).id, `${LIST_PROFILE}targetUri: ${party.url}`);
	const answer = await fetch(`http://127.0.0.1:${port}/api/inbound/other/Several`, {
		method: 'POST',
		body: CARD,
		headers: { ...JSON_TYPE, ...headers, 'x-service-api-key': secret },
	});
	t.is(answer.status, 200);
	const got = party.only().headers;
	t.is(got['x-forwarded-for'], '127.0.0.1');
	t.is(got['x-real-ip'], '127.0.0.1');
	t.is(got['x-forwarded-proto'], 'http');
	t.is(got['x-forwarded-port'], String(port));
	t.is(got['x-service-trace-id'], answer.headers.get('x-request-id') ?? '');
	t.is(got['x-forwarded-host'], undefined);
	t.not(got['x-service-carduri'], 'lie');
});

test('shapes §11: the user ID in the path is that of the credential', async (t) => {
	const { caller, party, parts } = await openInbound(t);
	await parts.createCaller('other');
	for (const userId of ['other', 'nobody', 'MERCHANT']) {
		const call = { payload: CARD, headers: { ...JSON_TYPE, accept: 'application/json' } };
		const answer = await caller.inject('POST', `/api/inbound/${userId}/Several`, call);
		isRefused(t, answer, 401, {
			code: -1003,
			message: 'You are not authorized to access this resource. Please contact customer support.',
			moreInfo: 'userId: expected the user ID that the credential belongs to',
		});
	}
	const nobody = await parts.app.inject({ method: 'POST', url: '/api/inbound/merchant/Several', payload: CARD });
	t.deepEqual([nobody.statusCode, nobody.body], [401, '']);
	t.is(party.seen.length, 0);
});

test('shapes §4: without a body or a card the request passes as it is', async (t) => {
	const { push, party } = await openInbound(t);
	t.is((await push('', { payload: '', headers: { 'content-type': 'text/plain' } })).statusCode, 200);
	t.is((await push('', { payload: '{ "cards":[] }' })).statusCode, 200);
	t.is((await push('', { payload: 'free text 12', headers: { 'content-type': 'text/plain' } })).statusCode, 200);
	t.deepEqual(
		party.seen.map(({ text, headers }) => [text, headers['x-service-carduri']]),
		[
			['', undefined],
			['{ "cards":[] }', undefined],
			['free text 12', undefined],
		],
	);
});

test('shapes §4: a GET or HEAD with a body is refused, since the body would be lost', async (t) => {
	const { push, party } = await openInbound(t);
	const refused = await push('', { payload: CARD }, 'GET');
	isBadInput(t, refused, 'body: expected none, because GET and HEAD are passed on without a body');
	t.is((await push('', { payload: CARD }, 'HEAD')).statusCode, 400);
	t.is(party.seen.length, 0);
	t.is((await push('', { headers: { 'content-length': '0' } }, 'GET')).statusCode, 200);
});

test('shapes §4: a body without a type is read as what it is passed on as', async (t) => {
	const { push, caller } = await openInbound(t, 'contentType: application/json; charset=ISO-8859-1\n');
	const payload = Buffer.from(CARD.replace('"brand"', '"holder":"JOSÉ","brand"'), 'latin1');
	await push('', { payload, headers: { 'content-type': undefined } });
	const [stored] = (await caller.inject('GET', '/api/payments/paycard/meta')).json();
	t.is(stored.OwnerName, 'JOSÉ');
});

test('shapes §11: inPlace: token, a header of its own name, and cards beyond what headers hold', async (t) => {
	const many = (count: number) => ({
		payload: JSON.stringify({ cards: Array(count).fill(JSON.parse(CARD).cards[0]) }),
	});
	const mask = await openInbound(t, 'tokenHeader: X-Card-Tokens\n');
	await mask.push('', { headers: { 'x-card-tokens': 'forged' }, payload: '{"cards":[]}' });
	t.is(mask.party.only().headers['x-card-tokens'], undefined);
	t.is((await mask.push('', many(150))).statusCode, 200);
	t.is(String(mask.party.seen[1].headers['x-card-tokens']).split(',').length, 150);
	const stored = await mask.parts.database.knex('pages').sum('live as cards').first();
	const refused = await mask.push('', many(400));
	t.is(refused.statusCode, 400);
	t.regex(refused.json().moreInfo, /^body: more than \d+ cards; a profile with inPlace: token takes more$/);
	t.deepEqual(await mask.parts.database.knex('pages').sum('live as cards').first(), stored, 'nothing was stored');
	const token = await openInbound(t, 'inPlace: token\n');
	t.is((await token.push('', many(400))).statusCode, 200);
	const { text, headers } = token.party.only();
	t.is(new Set(text.match(/"[0-9a-f]{32}"/g)).size, 400);
	t.is(headers['x-service-carduri'], undefined);
});

test('shapes §11: an inbound call costs one unit or one for each card', async (t) => {
	const { push, party, parts } = await openInbound(t, '', { account: { allowanceLimit: 100 } });
	await push();
	await push('', { payload: '{}' });
	t.is(await usedUnits(parts), 2);
	const three = JSON.stringify({ cards: Array(3).fill(JSON.parse(CARD).cards[0]) });
	party.answers({ status: 404 });
	t.is((await push('', { payload: three })).statusCode, 404);
	t.is(await usedUnits(parts), 5);
	t.is((await push('/..')).statusCode, 400);
	t.is(await usedUnits(parts), 5);
});

test('shapes §11: a profile without a target, or that only replaces, cannot be pushed to', async (t) => {
	const { caller, party } = await openPartnership(t);
	const headers = { ...JSON_TYPE, accept: 'application/json' };
	const push = (name: string) => caller.inject('POST', `/api/inbound/merchant/${name}`, { payload: CARD, headers });
	isBadInput(t, await push('Partner'), 'profileName: the profile names no targetUri');
	isBadInput(t, await push('Text'), 'profileName: this profile only replaces tokens; expected one that tokenizes');
	isBadInput(t, await push('Nothing'), 'profileName: the account has no profile of this name');
	t.is(party.seen.length, 0);
});
