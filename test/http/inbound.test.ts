// Tests the inbound gateway (shapes §4, §11): a third party pushes cards, and the account gets tokens.

import { type IncomingMessage, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { VISA } from '../helpers/card-calls.ts';
import { readBody } from '../helpers/outbound-servers.ts';
import { isBadInput } from '../helpers/third-party.ts';
import { CARD, JSON_TYPE, openInbound } from './inbound.setup.ts';

const MASKED = CARD.replace(VISA, '411111******1111').replace('123', '***');

test('shapes §4: a pushed request reaches the target with tokens, and its answer comes back', async (t) => {
	const answer = { status: 202, headers: { 'content-type': 'text/plain', 'x-n': '1' }, body: 'taken' };
	const { push, party, parts } = await openInbound(t, '', { answer });
	const got = await push();
	t.deepEqual([got.statusCode, got.body, got.headers['x-n']], [202, 'taken', '1']);
	const { method, url, text, headers } = party.only();
	t.deepEqual([method, url, text], ['POST', '/base/?key=1', MASKED]);
	t.regex(String(headers['x-service-carduri']), /^https:\/\/vault\.example\/api\/payments\/paycard\/[0-9a-f]{32}$/);
	t.is(headers['x-service-tokenization-errors'], undefined);
	const entries = await parts.database.knex('audit').where('action', 'card.inbound');
	t.is(entries.length, 1);
	t.regex(entries[0].details, /"address":"127\.0\.0\.1",.*"credential":"api-key \d+"/);
	t.true((await parts.audit.verify()).isWhole);
});

test('shapes §4: errors and warnings go to the target, by position', async (t) => {
	const { push, party } = await openInbound(t);
	const list = [{ number: '4111111111111112' }, { number: VISA, month: '04', year: '2030' }];
	await push('', { payload: JSON.stringify({ cards: list }) });
	const { headers, text } = party.only();
	t.is(headers['x-service-tokenization-errors'], 'Luhn (Mod10) error;;');
	t.is(headers['x-service-tokenization-warnings'], ';;The Card type is missing');
	t.is(JSON.parse(text).cards[0].number, '4111111111111112');
});

for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
	test(`shapes §4: ${method} is passed on, path and query appended`, async (t) => {
		const { push, party } = await openInbound(t);
		const answer = await push('/orders/7%2F8/?a=1&b=%20', {}, method);
		t.is(answer.statusCode, 200, answer.body);
		t.deepEqual([party.only().method, party.only().url], [method, '/base/orders/7%2F8/?key=1&a=1&b=%20']);
		t.is(party.only().text, method === 'GET' ? '' : MASKED);
	});
}

test('shapes §4: HEAD is passed on as HEAD, and its answer has no body', async (t) => {
	const { push, party } = await openInbound(t, '', { answer: { headers: { 'x-n': '1', 'content-length': '5' } } });
	const answer = await push('/x', {}, 'HEAD');
	t.deepEqual([answer.statusCode, answer.headers['x-n'], answer.body], [200, '1', '']);
	t.not(answer.headers['content-length'], '0', 'which would be said of what GET answers');
	t.is(party.only().method, 'HEAD');
});

test('shapes §4: a path cannot leave what the profile names', async (t) => {
	const { party, caller, parts } = await openInbound(t);
	const base = await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { hostname, port } = new URL(base);
	// Sends the path as it is with Node's own client, because other clients resolve the dots of such paths.
	const push = (rest: string) =>
		new Promise<IncomingMessage>((resolve) => {
			const headers = { ...JSON_TYPE, accept: 'application/json', 'x-service-api-key': caller.apiKey };
			const path = `/api/inbound/merchant/Several${rest}`;
			request({ hostname, port, path, method: 'POST', headers }, resolve).end(CARD);
		});
	const refused = [
		...['/../admin', '/a/../../admin', '/.', '/..', '/%2e%2e/admin', '/.%2E/admin'],
		...['/..%2fadmin', '/..%5Cadmin', '/..\\..\\admin', '/a\\..\\..\\..\\admin'],
	];
	for (const rest of refused) {
		const answer = await push(rest);
		t.is(answer.statusCode, 400, rest);
		t.regex(String(await readBody(answer)), /"moreInfo":"path: must not contain \. or \.\. segments"/, rest);
	}
	t.is(party.seen.length, 0);
	t.is((await push('/a..b/...?x=../..')).statusCode, 200);
	t.is(party.only().url, '/base/a..b/...?key=1&x=../..');
});

test('shapes §4: the rest of the path is the same where a proxy sends the whole address', async (t) => {
	const { party, caller, parts } = await openInbound(t);
	const { hostname, port } = new URL(await parts.app.listen({ host: '127.0.0.1', port: 0 }));
	const headers = { ...JSON_TYPE, 'x-service-api-key': caller.apiKey, host: 'vault.example' };
	const path = 'http://vault.example/api/inbound/merchant/Several/orders/7?x=1';
	const answer = await new Promise<IncomingMessage>((resolve) => {
		request({ hostname, port, path, method: 'POST', headers }, resolve).end(CARD);
	});
	t.is(answer.statusCode, 200);
	t.is(party.only().url, '/base/orders/7?key=1&x=1');
});

test('shapes §4: what cannot be read and may hold cards is refused', async (t) => {
	const { push, party, parts } = await openInbound(t);
	isBadInput(
		t,
		await push('', { payload: `{"cards":["${VISA}"` }),
		'body: cannot be read as json and looks as if it held card numbers',
	);
	t.is(party.seen.length, 0);
	t.is((await parts.database.knex('pages')).length, 0);
});

test('shapes §4: a packed request is refused, since cards would hide in it', async (t) => {
	const { push, party } = await openInbound(t);
	const answer = await push('', { payload: gzipSync(CARD), headers: { 'content-encoding': 'gzip' } });
	isBadInput(t, answer, 'Content-Encoding: compressed request bodies are not accepted');
	t.is(party.seen.length, 0);
});
