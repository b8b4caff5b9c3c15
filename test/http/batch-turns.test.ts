// Tests that no body of a batch keeps the thread from other callers, nor fills the memory, however small its items are.

import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

const HEADER = 'CardNumber,ExpirationDate\n';
const JSON_TYPE = 'application/json';
/** What a socket hands over at once. */
const PIECE = 65_536;

async function openCaller(t: ExecutionContext) {
	const { app, createCaller } = await openHttpApp(t);
	const { apiKey } = await createCaller('agency');
	return async (type: string, body: string) => {
		const bytes = Buffer.from(body);
		const pieces = async function* () {
			for (let at = 0; at < bytes.length; at += PIECE) {
				await turn();
				yield bytes.subarray(at, at + PIECE);
			}
		};
		const headers = { 'x-service-api-key': apiKey, 'content-type': type };
		const payload = Readable.from(pieces());
		const answer = await app.inject({ method: 'POST', url: '/api/payments/paycard/batch', headers, payload });
		return { status: answer.statusCode, text: answer.body };
	};
}

test('items that are no cards are refused some at a time', async (t) => {
	const send = await openCaller(t);
	for (const [type, body, count] of [
		[JSON_TYPE, `[${'1,'.repeat(40_000)}1]`, 40_001],
		[JSON_TYPE, `[${'{},'.repeat(30_000)}{}]`, 30_001],
		['application/x-ndjson', '1\n'.repeat(40_000), 40_000],
		['text/csv', HEADER + '1\n'.repeat(40_000), 40_000],
	] as const) {
		const longest = await bestTurn(async () => {
			const { status, text } = await send(type, body);
			t.is(status, 200);
			t.is(text.trim().split('\n').length, count);
		});
		t.true(longest < 3 * MAX_TURN_MS, `${type}: ${longest} ms`);
	}
});

test('a header of thousands of columns and a row of delimiters end the batch', async (t) => {
	const send = await openCaller(t);
	const wide = await send('text/csv', `${'a,'.repeat(2_048)}CardNumber,ExpirationDate\n`);
	t.is(wide.status, 400);
	t.regex(wide.text, /header row: expected at most 2048 columns/);
	const longest = await bestTurn(async () => {
		const { text } = await send('text/csv', HEADER + ','.repeat(500_000));
		t.regex(text, /"error":"body: a row is longer than 65536 bytes at line 2"/);
		t.is(text.trim().split('\n').length, 1);
	});
	t.true(longest < 3 * MAX_TURN_MS, `${longest} ms`);
});

test('any number of empty lines may stand between rows, and is counted', async (t) => {
	const send = await openCaller(t);
	const { text } = await send('text/csv', `${HEADER}${'\n'.repeat(300_000)}1,2\n\n4111111111111111,12/29\n`);
	const [refused, stored] = text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { token: string | null; error: string | null });
	t.is(refused.error, 'line 300002, CardNumber: Number has less than 12 digits');
	t.regex(stored.token!, /^[0-9a-f]{32}$/);
});
