// Tests spec §7.1, §7.2 and the order of checks of shapes §11, over real endpoints. The table of header values is tested in
// test/http/negotiation.test.ts and, as they come over the wire, in wire.slow.test.ts.

import test, { type ExecutionContext } from 'ava';
import { cardJson, cardXml, storeCard } from '../helpers/card-calls.ts';
import { type Caller, openHttpApp } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { listOperations } from '../helpers/operations.ts';

const CARD = '/api/payments/paycard';
const JSON_TYPE = 'text/json; charset=utf-8';
const XML_TYPE = 'application/xml; charset=utf-8';
const CSV = { 'content-type': 'text/csv' };

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	return { parts, caller: await parts.createCaller('agency', { cvvRetention: true }) };
}

interface Success {
	readonly method: 'GET' | 'POST' | 'PUT';
	readonly url: string;
	readonly payload?: string;
	/** The name of the root element of the answer in XML. */
	readonly root: string;
}

async function successes(caller: Caller): Promise<Success[]> {
	const token = await storeCard(caller, '?merchantId=agency', { CVV: '306' });
	const made = await caller.inject('POST', '/api/datablocks', {
		headers: { 'content-type': 'application/json' },
		payload: '{"Payload":"x"}',
	});
	const url = '/api/files/tokenize?filter=SIMPLECSV&async=true';
	const job = (await caller.inject('POST', url, { headers: CSV, payload: 'CardNumber\n' })).json().id;
	return [
		{ method: 'POST', url: CARD, payload: cardJson(), root: 'BankCard' },
		{ method: 'GET', url: `${CARD}/meta`, root: 'ArrayOfCardMetadata' },
		{ method: 'GET', url: `${CARD}/meta?num=5000`, root: 'ArrayOfCardMetadata' },
		{ method: 'GET', url: `${CARD}/${token}/meta`, root: 'CardMetadata' },
		{ method: 'GET', url: `${CARD}/${token}/merchants`, root: 'ArrayOfMerchantId' },
		{ method: 'PUT', url: `${CARD}/${token}/cvvRetentionPolicy`, payload: '{}', root: 'CardCvvRetentionPolicy' },
		{ method: 'GET', url: `${CARD}/${token}/cvvRetentionPolicy`, root: 'CardCvvRetentionPolicy' },
		{ method: 'POST', url: `${CARD}/duplicate?cardUri=${token}`, root: 'BankCard' },
		{ method: 'POST', url: `${CARD}/networkToken?cardUri=${token}`, root: 'BankCard' },
		{ method: 'POST', url: '/api/datablocks', payload: '{"Payload":"y"}', root: 'DataBlock' },
		{ method: 'GET', url: '/api/datablocks', root: 'ArrayOfDataBlock' },
		{ method: 'GET', url: `/api/datablocks/${made.json().Token}`, root: 'DataBlock' },
		{ method: 'GET', url: '/api/jobs', root: 'ArrayOfJob' },
		{ method: 'GET', url: `/api/jobs/${job}`, root: 'Job' },
	];
}

test('spec §1, §7.2: every answer with a record comes as JSON or XML, as the first recognised value of Accept says', async (t) => {
	const { caller } = await open(t);
	for (const { method, url, payload, root } of await successes(caller)) {
		for (const [accept, format] of [
			['*/*', 'json'],
			['application/json', 'json'],
			['text/html,text/json,text/xml', 'json'],
			['text/html,text/xml,application/json', 'xml'],
			['application/xml', 'xml'],
			['text/html, application/xml', 'json'],
			['Application/XML', 'json'],
		] as const) {
			const headers = { accept, ...(payload && { 'content-type': 'application/json' }) };
			const response = await caller.inject(method, url, { headers, payload });
			t.true(response.statusCode < 300, `${method} ${url}: ${response.body}`);
			t.is(response.headers['content-type'], format === 'json' ? JSON_TYPE : XML_TYPE, `${url} ${accept}`);
			if (format === 'json') t.notThrows(() => response.json(), url);
			else t.true(response.body.startsWith(`<${root}>`) && response.body.endsWith(`</${root}>`), response.body);
		}
	}
});

test('spec §7.2.3: the report of a job is text/json as well', async (t) => {
	const { parts, caller } = await open(t);
	const url = '/api/files/tokenize?filter=SIMPLECSV&async=true';
	const { id } = (await caller.inject('POST', url, { headers: CSV, payload: 'CardNumber\n' })).json();
	await runNextJob(parts);
	const response = await caller.inject('GET', `/api/jobs/${id}/report`);
	t.deepEqual([response.statusCode, response.headers['content-type']], [200, JSON_TYPE]);
});

test('spec §7.1, §7.2.1: every call is refused in JSON for the single value application/json, in XML for all else', async (t) => {
	const { parts } = await open(t);
	const nobody = await parts.createCaller('nobody', { permissions: ['ManageProfiles'] });
	for (const { name, method, url, permission } of await listOperations(parts.app)) {
		if (!permission) continue;
		for (const accept of [undefined, '*/*', 'text/html', 'text/json', 'application/json, */*', 'application/xml']) {
			const response = await nobody.inject(method, url(), { headers: accept === undefined ? {} : { accept } });
			t.is(response.headers['content-type'], XML_TYPE, `${name} ${accept}`);
			t.regex(response.body, /^<ErrorBlock><code>-1003<\/code><message>.*<\/ErrorBlock>$/);
		}
		const response = await nobody.inject(method, url(), { headers: { accept: 'application/json' } });
		t.is(response.headers['content-type'], JSON_TYPE, name);
		t.deepEqual(Object.keys(response.json()), ['code', 'message', 'moreInfo']);
	}
});

test('spec §7.2.1: an error does not follow the format of the body it is about', async (t) => {
	const { caller } = await open(t);
	for (const [type, payload] of [
		['application/json', cardJson({ Number: '1' })],
		['application/xml', cardXml('<Number>1</Number>')],
	]) {
		const call = (accept: string) =>
			caller.inject('POST', CARD, { headers: { 'content-type': type, accept }, payload });
		t.true((await call('*/*')).body.startsWith('<ErrorBlock>'), type);
		t.is((await call('application/json')).json().code, -125, type);
	}
});

test('spec §7.1, shapes §1: a field without value is null in JSON and omitted in XML', async (t) => {
	const { caller } = await open(t);
	const path = `${CARD}/${await storeCard(caller)}/meta`;
	const asJson = (await caller.inject('GET', path)).json();
	t.is(asJson.OwnerName, null);
	t.is(asJson.VirtualInfo, null);
	const asXml = (await caller.inject('GET', path, { headers: { accept: 'text/xml' } })).body;
	for (const [name, value] of Object.entries(asJson)) {
		if (Array.isArray(value)) continue;
		t.is(asXml.includes(`<${name}>`), value !== null, name);
	}
	const gone = `${CARD}/${'a'.repeat(32)}/meta`;
	t.is((await caller.inject('GET', gone, { headers: { accept: 'application/json' } })).json().moreInfo, null);
	t.notRegex((await caller.inject('GET', gone)).body, /moreInfo/);
});

test('shapes §11: path, credential, permission, allowance, parameters, body, token, rules: the first that fails answers', async (t) => {
	const { parts, caller } = await open(t);
	const foreign = await storeCard(caller);
	const mine = await parts.createCaller('small', { permissions: ['Tokenize'], allowanceLimit: 1 });
	const reader = await parts.createCaller('reader', { permissions: ['QueryTokens'], allowanceLimit: 0 });
	const wrong = { apiKey: 'wrong' };
	const wide = `ref=${'r'.repeat(300)}`;
	const own = await storeCard(mine);
	await parts.identity.accounts.unblock('small', 'operator test');
	const blocked = await parts.createCaller('blocked', { permissions: ['Tokenize'], allowanceLimit: 0 });
	const bad = 'cvv=1';
	for (const [what, who, url, expected] of [
		['path before credential', wrong, `${CARD}/short/meta?${bad}`, [404, '']],
		['credential before permission', wrong, `${CARD}/duplicate?${bad}`, [401, '']],
		['permission before allowance', reader, `${CARD}/duplicate?${bad}`, [403, 'Permission Tokenize is required']],
		['allowance before parameters', blocked, `${CARD}/duplicate?${bad}`, [403, null]],
		['parameters before token', mine, `${CARD}/duplicate?cardUri=${foreign}&${bad}`, [400, 'Bad input parameter']],
		['parameters before token', mine, `${CARD}/duplicate?cardUri=${foreign}&${wide}`, [400, 'Bad input data']],
		['token after all of them', mine, `${CARD}/duplicate?cardUri=${foreign}`, [401, /not authorized to access/]],
		['nothing is left to fail', mine, `${CARD}/duplicate?cardUri=${own}`, [201, undefined]],
		['the allowance is used up by what succeeded', mine, `${CARD}/duplicate?cardUri=${own}`, [403, null]],
	] as const) {
		const headers = { 'x-service-api-key': who.apiKey, accept: 'application/json' };
		const response = await parts.app.inject({ method: 'POST', url, headers });
		const [status, message] = expected;
		t.is(response.statusCode, status, what);
		if (message === '') t.is(response.body, '', what);
		else if (message instanceof RegExp) t.regex(response.json().message, message, what);
		else if (message !== undefined) t.is(response.json().message, message, what);
	}
});
