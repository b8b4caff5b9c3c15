// Tests every row of spec §7.4 and every code of §7.3, as callers see them. Probes throw the failures of the parts of the
// service here; that a part throws its failure is checked by the tests of that part.

import test, { type ExecutionContext } from 'ava';
import { catalogue, type ErrorRow, type Reason } from '../../src/base/errors.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

const FIXED = 'You are not authorized to access this resource. Please contact customer support.';
const PLACE = 'field: what was expected';

async function open(t: ExecutionContext<unknown>) {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	return { parts, caller: await parts.createCaller('agency') };
}

interface Row {
	readonly status: number;
	readonly code: number;
	readonly message: string | null;
	readonly moreInfo: string | null;
}

const rows: Partial<Record<Reason, Row>> = {
	'token-not-accessible': { status: 401, code: -1003, message: FIXED, moreInfo: null },
	'sender-mismatch': { status: 401, code: -1003, message: FIXED, moreInfo: PLACE },
	'bearer-required': { status: 401, code: -1003, message: FIXED, moreInfo: PLACE },
	'cvv-retention-not-set-up': {
		status: 401,
		code: -1003,
		message: 'User is not authorized to handle bank cards',
		moreInfo: PLACE,
	},
	'permission-denied': { status: 403, code: -1003, message: PLACE, moreInfo: FIXED },
	'elimination-limit-passed': { status: 403, code: -1003, message: PLACE, moreInfo: FIXED },
	'storage-quota-exceeded': { status: 403, code: -1003, message: PLACE, moreInfo: FIXED },
	'mail-limit-reached': { status: 403, code: -1003, message: PLACE, moreInfo: FIXED },
	'origin-not-registered': { status: 403, code: -1003, message: PLACE, moreInfo: FIXED },
	'association-target-invalid': {
		status: 403,
		code: -1003,
		message: 'This operation is not allowed for the given entity',
		moreInfo: FIXED,
	},
	'bad-input-data': { status: 400, code: -125, message: 'Bad input data', moreInfo: PLACE },
	'bad-input-parameter': { status: 400, code: -125, message: 'Bad input parameter', moreInfo: PLACE },
	'message-malformed': { status: 400, code: -125, message: 'Message badly formatted', moreInfo: PLACE },
	'file-malformed': { status: 400, code: -125, message: 'Message badly formatted', moreInfo: PLACE },
	'uri-not-found': { status: 404, code: -160, message: 'Uri not found', moreInfo: PLACE },
	'call-repeated': { status: 409, code: -125, message: 'Bad input parameter', moreInfo: PLACE },
	'system-error': { status: 500, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'row-altered': { status: 500, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'target-unreachable': { status: 502, code: -150, message: 'System error: unexpected condition', moreInfo: PLACE },
	'database-unavailable': { status: 503, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'key-store-unavailable': { status: 503, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'drop-store-unavailable': { status: 503, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'too-many-calls': { status: 503, code: -150, message: 'System error: unexpected condition', moreInfo: null },
	'too-many-calls-of-account': {
		status: 503,
		code: -150,
		message: 'System error: unexpected condition',
		moreInfo: PLACE,
	},
	'request-timed-out': { status: 504, code: -175, message: 'Request timed out', moreInfo: null },
};

test('spec §7.1, §7.3, §7.4: every reason answers with its row, in JSON and in XML', async (t) => {
	const { caller } = await open(t);
	for (const [reason, { status, ...body }] of Object.entries(rows)) {
		const json = await caller.inject('GET', `/probe/fail/${reason}`, { headers: { accept: 'application/json' } });
		t.is(json.statusCode, status, reason);
		t.deepEqual(json.json(), body, reason);
		t.is(json.headers['content-type'], 'text/json; charset=utf-8');
		const xml = await caller.inject('GET', `/probe/fail/${reason}`);
		t.is(xml.statusCode, status, reason);
		const elements = Object.entries(body).map(([name, value]) => (value === null ? '' : `<${name}>${value}</${name}>`));
		t.is(xml.body, `<ErrorBlock>${elements.join('')}</ErrorBlock>`, reason);
		for (const { headers } of [json, xml]) {
			t.truthy(headers['x-request-id']);
			t.is(headers['retry-after'] !== undefined, status === 503, reason);
		}
	}
});

test('spec §7.4: the reasons without a body have none', async (t) => {
	const { caller } = await open(t);
	const empty = Object.entries<ErrorRow>(catalogue).filter(
		([reason]) => !(reason in rows) && reason !== 'allowance-exceeded',
	);
	t.deepEqual(empty.map(([reason]) => reason).sort(), [
		...['authentication-failed', 'endpoint-not-found', 'method-not-allowed'],
	]);
	for (const [reason, { status }] of empty) {
		const response = await caller.inject('GET', `/probe/fail/${reason}`, { headers: { accept: 'application/json' } });
		t.is(response.statusCode, status);
		t.is(response.body, '');
		t.is(response.headers['content-type'], undefined);
	}
});

const noEndpoint = test.macro({
	async exec(t, method: 'GET' | 'POST' | 'PUT', url: string) {
		const { caller } = await open(t);
		const response = await caller.inject(method, url, { headers: { accept: 'application/json' } });
		t.is(response.statusCode, 404);
		t.is(response.body, '');
		t.is(response.headers['content-type'], undefined);
		t.truthy(response.headers['x-request-id']);
	},
	title: (_, method, url: string) =>
		`spec §7.4: no endpoint matches ${method} ${url.slice(0, 60)}: 404 with an empty body`,
});
test(noEndpoint, 'GET', '/nothing');
test(noEndpoint, 'GET', '/API');
test(noEndpoint, 'GET', '/api/');
test(noEndpoint, 'POST', '/api/');
test(noEndpoint, 'PUT', '/probe/token/short');
test(noEndpoint, 'GET', '/probe/token/4111111111111111');
test(noEndpoint, 'GET', `/probe/token/${'a'.repeat(31)}g`);
test(noEndpoint, 'GET', `/probe/token/${'a'.repeat(33)}`);
test(noEndpoint, 'GET', `/probe/token/${'a'.repeat(5000)}`);
test(noEndpoint, 'GET', '/probe/token/%zz');
test(noEndpoint, 'GET', '/%');

const wrongMethod = test.macro({
	async exec(t, method: 'GET' | 'POST' | 'PUT' | 'OPTIONS' | 'DELETE', url: string, allow: string) {
		const { parts } = await open(t);
		const response = await parts.app.inject({ method, url, headers: { accept: 'application/json' } });
		t.is(response.statusCode, 405);
		t.is(response.headers.allow, allow);
		t.is(response.body, '');
		t.is(response.headers['content-type'], undefined);
		t.truthy(response.headers['x-request-id']);
	},
	title: (_, method, url) => `${method} ${url} is a 405 that says which methods there are`,
});
test(wrongMethod, 'POST', '/api', 'GET, HEAD');
test(wrongMethod, 'OPTIONS', '/api/payments/paycard/tempsession', 'POST');
test(wrongMethod, 'GET', '/api/payments/paycard/tempsession?sessionToken=x', 'POST');
test(wrongMethod, 'PUT', `/api/payments/paycard/${'aB'.repeat(16)}`, 'DELETE');
test(wrongMethod, 'POST', `/api/payments/paycard/${'a'.repeat(32)}/merchants/x`, 'DELETE, PUT');
test(wrongMethod, 'GET', '/api/jobs/any/retry', 'POST');
test(wrongMethod, 'DELETE', '/openapi.json', 'GET, HEAD');

test('shapes §11: a path that no endpoint matches is 404 before any credential is looked at', async (t) => {
	const { parts } = await open(t);
	const response = await parts.app.inject({ method: 'GET', url: '/probe/token/short' });
	t.is(response.statusCode, 404);
	t.is((await parts.app.inject({ method: 'GET', url: `/probe/token/${'A'.repeat(32)}` })).statusCode, 401);
});

test('shapes §11: permission comes before allowance, allowance before the body', async (t) => {
	const { parts } = await open(t);
	const headers = { accept: 'application/json', 'content-type': 'application/json' };
	const reader = await parts.createCaller('reader', { permissions: ['QueryTokens'], allowanceLimit: 0 });
	const denied = await reader.inject('POST', '/probe', { headers, payload: '{' });
	t.is(denied.json().message, 'Permission Tokenize is required');
	const small = await parts.createCaller('small', { allowanceLimit: 0 });
	const blocked = await small.inject('POST', '/probe', { headers, payload: '{' });
	t.is(blocked.statusCode, 403);
	t.is(blocked.json().message, null);
});

test('a bad query parameter is named with its rule, without its content', async (t) => {
	const { caller } = await open(t);
	for (const value of ['0', 'x', '1.5', '4111111111111111111111111']) {
		const headers = { accept: 'application/json' };
		const response = await caller.inject('GET', `/probe/query?num=${value}`, { headers });
		if (response.statusCode === 200) continue;
		t.is(response.statusCode, 400);
		t.like(response.json(), { code: -125, message: 'Bad input data' });
		t.regex(response.json().moreInfo, /^num: must be /);
	}
});

test('a defect of ours is a 500 without any detail; the log has it under the request id', async (t) => {
	const { parts, caller } = await open(t);
	const response = await caller.inject('GET', '/probe/defect', { headers: { accept: 'application/json' } });
	t.is(response.statusCode, 500);
	t.deepEqual(response.json(), { code: -150, message: 'System error: unexpected condition', moreInfo: null });
	const line = parts
		.logText()
		.split('\n')
		.find((each) => each.includes('a secret detail'))!;
	t.is(JSON.parse(line).requestId, response.headers['x-request-id']);
});

test('shapes §1: X-Request-Id is on every answer and never the same', async (t) => {
	const { parts, caller } = await open(t);
	const answers = [
		await caller.inject('GET', '/probe'),
		await caller.inject('GET', '/probe/defect'),
		await caller.inject('GET', '/probe/query?num=0'),
		await caller.inject('GET', '/nothing'),
		await parts.app.inject({ method: 'GET', url: '/probe', headers: { 'x-request-id': 'mine' } }),
		await parts.app.inject({ method: 'GET', url: '/openapi.json' }),
	];
	const ids = answers.map(({ headers }) => headers['x-request-id'] as string);
	for (const id of ids) t.regex(id, /^[0-9a-f-]{36}$/);
	t.is(new Set(ids).size, ids.length);
});

test('answers have the headers that browsers need to be told, and none that open the door to other origins', async (t) => {
	const { caller } = await open(t);
	const { headers } = await caller.inject('GET', '/probe', { headers: { origin: 'https://other.example' } });
	t.is(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
	t.is(headers['x-content-type-options'], 'nosniff');
	t.is(headers['referrer-policy'], 'no-referrer');
	t.truthy(headers['strict-transport-security']);
	t.is(headers['x-powered-by'], undefined);
	t.is(headers.server, undefined);
	t.deepEqual(
		Object.keys(headers).filter((name) => name.startsWith('access-control-')),
		[],
	);
});
