// Tests what the log and the list of an account's calls say of an answer that streams: how it ended, not how it began.

import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { LoggedCall } from '../../src/doors/http/server/call-log.ts';
import { allPermissions } from '../../src/people/identity/permissions.ts';
import { BATCH, card, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { asJson, cardJson, json, VISA } from '../helpers/card-calls.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { until } from '../helpers/until.ts';

const OPERATOR = 'operator test';
const TOKENIZE = '/api/files/tokenize?filter=SIMPLECSV';
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
const ROWS = `${VISA},12,2029,Visa\n`.repeat(5000);

/** Sends rows of a file until the first bytes of its answer have come, and returns the open request. */
async function beginFile(t: ExecutionContext, parts: HttpApp, { apiKey }: Caller) {
	if (!parts.app.server.listening) await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const headers = { 'content-type': 'text/csv', 'x-service-api-key': apiKey };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: TOKENIZE, headers, agent: false });
	t.teardown(() => request.destroy());
	request.on('error', () => {});
	let hasBegun = false;
	request.on('response', (response) => {
		response.on('data', () => (hasBegun = true)).on('error', () => {});
	});
	request.write(HEAD);
	while (!hasBegun) {
		request.write(ROWS);
		await sleep(20);
	}
	return request;
}

async function listed(caller: Caller): Promise<LoggedCall[]> {
	return (await caller.inject('GET', '/api/requests', asJson)).json();
}

/** Waits until the list has a call, and returns it with the outcome and reason that its line in the log names. */
async function firstCall(parts: HttpApp, caller: Caller) {
	const call = await until('the call is listed', async () => (await listed(caller))[0]);
	const lines = parts.logText().trim().split('\n');
	const line = lines
		.map((text) => JSON.parse(text))
		.find(({ requestId, msg }) => requestId === call.id && msg === 'http request');
	return { call, logged: { outcome: line.outcome, reason: line.reason } };
}

test('a stream that goes on is not listed, and one that came whole is complete', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await beginFile(t, parts, caller);
	t.deepEqual(await listed(caller), []);
	request.end();
	const { call, logged } = await firstCall(parts, caller);
	t.like(call, { status: 200, outcome: 'complete', message: null, moreInfo: null });
	t.deepEqual(logged, { outcome: 'complete', reason: undefined });
});

test('a file that turned out bad after its first bytes is broken off, with the place', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const request = await beginFile(t, parts, caller);
	request.end('4111111111111111,"never closed');
	const { call, logged } = await firstCall(parts, caller);
	t.like(call, { status: 200, outcome: 'broken-off', message: 'Message badly formatted' });
	t.regex(call.moreInfo!, /^offset \d+, line \d+, record \d+: a quote is never closed$/);
	t.deepEqual(logged, { outcome: 'broken-off', reason: 'file-malformed' });
});

test('a stream whose credential ended is broken off, with the cause', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	await beginFile(t, parts, caller);
	const { secret } = await parts.identity.apiKeys.create(caller.account, OPERATOR, allPermissions);
	const headers = { ...asJson.headers, 'x-service-api-key': secret.reveal() };
	const other: Caller = { ...caller, inject: (method, url) => caller.inject(method, url, { headers }) };
	await parts.identity.apiKeys.revoke(caller.account, OPERATOR, 1);
	const { call, logged } = await firstCall(parts, other);
	t.like(call, { status: 200, outcome: 'broken-off', moreInfo: 'the API key was revoked' });
	t.deepEqual(logged, { outcome: 'broken-off', reason: 'authentication-failed' });
});

test('a caller that leaves in the middle of an answer is told apart from a failure', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	(await beginFile(t, parts, caller)).destroy();
	const { call, logged } = await firstCall(parts, caller);
	t.like(call, { status: 200, outcome: 'caller-gone', message: null, moreInfo: null });
	t.deepEqual(logged, { outcome: 'caller-gone', reason: undefined });
});

test('a failure of ours in the middle of a list is broken off, and the log has the error', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	await caller.inject('POST', '/api/payments/paycard', json(cardJson()));
	const { walk } = parts.vault;
	parts.vault.walk = async function* (...wanted) {
		yield* walk(...wanted);
		throw new Error('internal error: made by the test');
	};
	await caller.inject('GET', '/api/payments/paycard/meta?num=5000', asJson).catch(() => {});
	const { call, logged } = await firstCall(parts, caller);
	t.like(call, { outcome: 'broken-off', message: 'System error: unexpected condition' });
	t.deepEqual(logged, { outcome: 'broken-off', reason: 'system-error' });
	t.regex(parts.logText(), /"level":"error".*made by the test.*streamed answer broken off/);
});

test('a batch whose last line says why nothing more was stored is broken off with the same words', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const bad = await caller.inject('POST', BATCH, json(`[${JSON.stringify(card())} x`));
	t.is(bad.statusCode, 200);
	const { error } = JSON.parse(bad.payload.trim().split('\n').at(-1)!);
	t.like((await firstCall(parts, caller)).call, { outcome: 'broken-off', message: 'Bad input data', moreInfo: error });

	const poor = await parts.createCaller('poor', { allowanceLimit: 1 });
	const cut = await poor.inject('POST', BATCH, { headers: NDJSON, payload: ndjson([card(), card()]) });
	const ending = JSON.parse(cut.payload.trim().split('\n').at(-1)!).error;
	await parts.identity.accounts.unblock('poor', OPERATOR);
	const { call, logged } = await firstCall(parts, poor);
	t.like(call, { outcome: 'broken-off', message: ending });
	t.deepEqual(logged, { outcome: 'broken-off', reason: 'allowance-exceeded' });
});
