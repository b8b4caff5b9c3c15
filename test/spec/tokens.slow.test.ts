// Tests spec §3 and the token rows of §7.4 at every endpoint that takes a token. Single stories are tested in
// test/http/tokens.test.ts, associations.test.ts, duplicate.test.ts and data-blocks.test.ts.

import test, { type ExecutionContext } from 'ava';
import { asJson, json, storeCard } from '../helpers/card-calls.ts';
import { type Call, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { type ListedOperation, listOperations } from '../helpers/operations.ts';

const DELETE_TOKEN = 'DELETE /api/payments/paycard/{cardToken}';
const NOT_ACCESSIBLE = {
	code: -1003,
	message: 'You are not authorized to access this resource. Please contact customer support.',
	moreInfo: null,
};
const NOBODYS_TOKEN = '9e107d9d372bb6826bd81d3542a419d6';
const YEAR_MS = 366 * 86_400_000;

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	const owner = await parts.createCaller('owner', { cvvRetention: true });
	const other = await parts.createCaller('other', { cvvRetention: true });
	const operations = async () =>
		(await listOperations(parts.app)).filter((each) => each.hasTokenPath || takesUri(each));
	return { parts, owner, other, operations };
}

const takesUri = ({ name }: ListedOperation) => /(duplicate|networkToken)$/.test(name);

/** Returns the call with what it needs besides the token, so that the token alone decides. */
function callOf(operation: ListedOperation, token: string): { url: string; call: Call } {
	const url = operation.url({ cardToken: token, merchantId: 'other' });
	const query = takesUri(operation) ? `?cardUri=${token}` : '';
	return { url: url + query, call: operation.method === 'PUT' ? json({ Quota: 1 }) : asJson };
}

test('spec §7.4: a token that does not exist, was deleted or belongs to another is answered alike by every endpoint but Delete Token', async (t) => {
	const { owner, other, operations } = await open(t);
	const all = await operations();
	t.true(all.length >= 18);
	for (const operation of all.filter(({ name }) => name !== DELETE_TOKEN)) {
		const isBlock = operation.name.includes('/datablocks/');
		const make = async () => {
			if (!isBlock) return storeCard(owner, '', { CVV: '306' });
			return (await owner.inject('POST', '/api/datablocks', json({ Payload: 'x' }))).json().Token as string;
		};
		const [foreign, deleted] = [await make(), await make()];
		await owner.inject('DELETE', `/api/${isBlock ? 'datablocks' : 'payments/paycard'}/${deleted}`);
		const seen = new Set<string>();
		for (const token of [NOBODYS_TOKEN, foreign, deleted]) {
			const { url, call } = callOf(operation, token);
			const response = await other.inject(operation.method, url, call);
			t.is(response.statusCode, 401, operation.name);
			t.deepEqual(response.json(), NOT_ACCESSIBLE, operation.name);
			const { 'x-request-id': _id, date: _date, ...headers } = response.headers;
			seen.add(JSON.stringify(headers));
		}
		t.is(seen.size, 1, operation.name);
	}
});

test('spec §3, §7.4: Delete Token tells a foreign token from one that is gone, and repeating it changes nothing', async (t) => {
	const { owner, other } = await open(t);
	const path = `/api/payments/paycard/${await storeCard(owner)}`;
	const foreign = await other.inject('DELETE', path, asJson);
	t.deepEqual([foreign.statusCode, foreign.json()], [401, NOT_ACCESSIBLE]);
	t.is((await owner.inject('GET', `${path}/meta`)).statusCode, 200, 'unchanged');
	const deleted = await owner.inject('DELETE', path);
	t.deepEqual([deleted.statusCode, deleted.body], [200, '']);
	for (const caller of [owner, owner, other]) {
		const again = await caller.inject('DELETE', path, asJson);
		t.is(again.statusCode, 404);
		t.like(again.json(), { code: -160, message: 'Uri not found' });
	}
	const never = await owner.inject('DELETE', `/api/payments/paycard/${NOBODYS_TOKEN}`, asJson);
	t.deepEqual([never.statusCode, never.json().code], [404, -160]);
});

test("spec §3, §7.4: Delete Token on another account's data block is the 401 of a foreign card, and on one's own says what it is", async (t) => {
	const { owner, other } = await open(t);
	const block = (await owner.inject('POST', '/api/datablocks', json({ Payload: 'x' }))).json().Token as string;
	const path = `/api/payments/paycard/${block}`;
	const foreign = await other.inject('DELETE', path, asJson);
	t.deepEqual([foreign.statusCode, foreign.json()], [401, NOT_ACCESSIBLE]);
	const own = await owner.inject('DELETE', path, asJson);
	t.is(own.statusCode, 404);
	const moreInfo = 'the token holds another kind of record';
	t.deepEqual(own.json(), { code: -160, message: 'Uri not found', moreInfo });
	t.is((await owner.inject('GET', `/api/datablocks/${block}`)).statusCode, 200, 'unchanged');
	t.is((await owner.inject('DELETE', `/api/datablocks/${block}`)).statusCode, 200);
	for (const caller of [owner, other]) t.is((await caller.inject('DELETE', path, asJson)).statusCode, 404);
});

test('spec §7.4: a path whose token is not 32 hexadecimal characters matches no endpoint, with and without a credential', async (t) => {
	const { parts, owner, operations } = await open(t);
	for (const operation of (await operations()).filter(({ hasTokenPath }) => hasTokenPath)) {
		for (const token of ['a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}g`, `${'a'.repeat(31)}%20`]) {
			const url = operation.url({ cardToken: token });
			for (const response of [
				await owner.inject(operation.method, url, asJson),
				await parts.app.inject({ method: operation.method, url }),
			]) {
				t.deepEqual([response.statusCode, response.body], [404, ''], `${operation.name} ${token}`);
				t.is(response.headers['content-type'], undefined);
			}
		}
	}
});

test('spec §7.4: a cardUri whose token is not 32 hexadecimal characters is a 401 -1003', async (t) => {
	const { owner, operations } = await open(t);
	for (const operation of (await operations()).filter(takesUri)) {
		const path = `${TEST_BASE_URL}/api/payments/paycard/`;
		for (const token of ['a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}g`, 'x']) {
			for (const uri of [token, encodeURIComponent(path + token)]) {
				const response = await owner.inject('POST', `${operation.url()}?cardUri=${uri}`, asJson);
				t.deepEqual([response.statusCode, response.json()], [401, NOT_ACCESSIBLE], `${operation.name} ${uri}`);
			}
		}
	}
});

test('spec §7.4: a token that holds another kind of record is a 404 Uri not found at every endpoint', async (t) => {
	const { owner, operations } = await open(t);
	const card = await storeCard(owner, '', { CVV: '306' });
	const block = (await owner.inject('POST', '/api/datablocks', json({ Payload: 'x' }))).json().Token as string;
	for (const operation of await operations()) {
		const { url, call } = callOf(operation, operation.name.includes('/datablocks/') ? card : block);
		const response = await owner.inject(operation.method, url, call);
		t.is(response.statusCode, 404, operation.name);
		t.like(response.json(), { code: -160, message: 'Uri not found' }, operation.name);
	}
});

test('spec §2.3, §5.4.5: an associated account may use a token and an unassociated one may not, whoever associates when', async (t) => {
	const { parts, owner, other } = await open(t);
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'other' });
	const onCall = await storeCard(owner, '?merchantId=other');
	const afterwards = await storeCard(owner);
	const meta = async (caller: typeof owner, token: string) =>
		(await caller.inject('GET', `/api/payments/paycard/${token}/meta`)).statusCode;
	t.deepEqual([await meta(other, onCall), await meta(clerk, onCall)], [200, 200]);
	t.deepEqual([await meta(other, afterwards), await meta(clerk, afterwards)], [401, 401]);
	await owner.inject('PUT', `/api/payments/paycard/${afterwards}/merchants/other`);
	t.deepEqual([await meta(other, afterwards), await meta(clerk, afterwards)], [200, 200]);
	const stranger = await parts.createCaller('stranger');
	t.is(await meta(stranger, onCall), 401);
});

test('spec §7.4: only a primary account can be the merchant of a token, wherever one is named', async (t) => {
	const { parts, owner } = await open(t);
	await parts.createCaller('clerk', { kind: 'sub-user', parent: 'owner' });
	await parts.createCaller('hotel', { kind: 'property', parent: 'owner' });
	const token = await storeCard(owner);
	const body = json({ BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } });
	for (const [method, urlFor, call] of [
		['PUT', (merchant: string) => `/api/payments/paycard/${token}/merchants/${merchant}`, asJson],
		['POST', (merchant: string) => `/api/payments/paycard?merchantId=${merchant}`, body],
		['POST', (merchant: string) => `/api/payments/paycard/duplicate?cardUri=${token}&merchantId=${merchant}`, asJson],
	] as const) {
		for (const merchant of ['clerk', 'hotel']) {
			const response = await owner.inject(method, urlFor(merchant), call);
			t.is(response.statusCode, 403, urlFor(merchant));
			t.is(response.json().message, 'This operation is not allowed for the given entity');
		}
		for (const merchant of ['nobody', 'OWNER', '4111']) {
			const response = await owner.inject(method, urlFor(merchant), call);
			t.is(response.statusCode, 400, urlFor(merchant));
			t.like(response.json(), { code: -125, message: 'Bad input data' });
			t.true(response.json().moreInfo.startsWith('merchantId: '), response.body);
		}
	}
});

test('spec §2.4, §8: a card stays for as long as it likes, whenever it expires', async (t) => {
	const { parts, owner } = await open(t);
	const token = await storeCard(owner, '', { ExpirationDate: { Month: '12', Year: '2026' } });
	parts.clock.turn(30 * YEAR_MS);
	const response = await owner.inject('GET', `/api/payments/paycard/${token}/meta`, asJson);
	t.is(response.statusCode, 200);
	t.like(response.json(), { ExpirationYear: '2026', LastDigits: '1111' });
});

test('shapes §1: tokens are taken in any case, as a URI or bare, and are answered in lower case', async (t) => {
	const { owner } = await open(t);
	const token = await storeCard(owner);
	const uri = `${TEST_BASE_URL}/api/payments/paycard/${token}`;
	for (const written of [token, token.toUpperCase()]) {
		const meta = await owner.inject('GET', `/api/payments/paycard/${written}/meta`, asJson);
		t.is(meta.json().URI, uri);
	}
	for (const written of [token, token.toUpperCase(), uri, uri.replace(token, token.toUpperCase())]) {
		const url = `/api/payments/paycard/duplicate?CARDURI=${encodeURIComponent(written)}`;
		const response = await owner.inject('POST', url, asJson);
		t.is(response.statusCode, 201, written);
		t.regex(String(response.headers.location), /\/[0-9a-f]{32}$/);
	}
});
